import type { Proof } from '../../scripts/proofs.ts';
import { canTrace } from './kernel/driver.ts';
import { describe, fuzz } from './kernel/fuzz.ts';

const proof: Proof = {
  name: 'shell-kernel',
  promise:
    'G9: of the shell lines that run without asking and without a sandbox, the kernel sees no write, program, connection or reading outside that was not judged',
  async run(full, seed, hours = 0) {
    if (!canTrace())
      return {
        passed: false,
        figures: {},
        detail: 'bwrap or strace is missing or refused: npm run setup:test',
      };
    const result = await fuzz({
      seed,
      ...(full ? { lines: 1_000_000, runs: 50_000, enough: 40 } : { lines: 3000, runs: 240, enough: 5 }),
      milliseconds: hours * 3_600_000,
      shrinks: true,
    });
    const { judged, allowed, ran, features, unconfirmed, contradictions } = result;
    // A judge that allows nothing, or a driver that runs nothing, contradicts nothing either.
    const hasLooked = allowed * 20 >= judged && ran >= (full ? 50_000 : 200) && features >= 200;
    return {
      passed: contradictions.length === 0 && hasLooked,
      figures: {
        ...{ judged, allowed, 'run under the kernel': ran, 'constructs and options among them': features },
        ...{ contradicted: contradictions.length, 'not seen again when run alone': unconfirmed.length },
      },
      detail: [
        ...(hasLooked
          ? []
          : ['Too few lines were allowed, run or different from each other to prove anything.']),
        ...contradictions.map(describe),
        ...unconfirmed.slice(0, 5).map((text) => `Seen once only: ${text}`),
      ].join('\n'),
    };
  },
};

export default proof;
