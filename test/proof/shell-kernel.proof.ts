import type { Proof } from '../../scripts/proofs.ts';
import { canTrace } from './kernel/driver.ts';
import { describe, fuzz } from './kernel/fuzz.ts';

const figures = {
  full: { lines: 1_000_000, runs: 50_000, enough: 40 },
  // A share that no number of postures or rules divides: each line meets all of them in one place or another.
  reduced: { lines: 1000, runs: 100, enough: 5, cornerShare: 7 },
};
/** What a judge without holes allows, and the driver runs, at the least. */
const least = {
  full: { ran: 50_000, corners: 2000, ofEachPosture: 2000 },
  reduced: { ran: 90, corners: 400, ofEachPosture: 5 },
};

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
    const size = full ? 'full' : 'reduced';
    const result = await fuzz({ seed, ...figures[size], milliseconds: hours * 3_600_000, shrinks: true });
    const { judged, allowed, ran, corners, features, byPosture, unconfirmed, contradictions } = result;
    // A judge that allows nothing, or a driver that runs nothing, contradicts nothing either.
    const hasLooked =
      allowed * 20 >= judged &&
      ran >= least[size].ran &&
      features >= 200 &&
      corners >= least[size].corners &&
      Object.values(byPosture).every((runs) => runs >= least[size].ofEachPosture);
    // What is seen once only is a race of the proof itself: where there are many, it proves little.
    const isSteady = unconfirmed.length * 100 <= ran;
    return {
      passed: contradictions.length === 0 && hasLooked && isSteady,
      figures: {
        ...{ judged, allowed, 'run under the kernel': ran, 'constructs and options among them': features },
        'corner cases run besides': corners,
        ...{ contradicted: contradictions.length, 'not seen again when run alone': unconfirmed.length },
      },
      detail: [
        ...(hasLooked
          ? []
          : [
              `Too few lines were allowed, run or different from each other to prove anything: ${JSON.stringify(byPosture)}`,
            ]),
        ...(isSteady ? [] : ['Too much was seen once only.']),
        ...contradictions.map(describe),
        ...unconfirmed.slice(0, 5).map((text) => `Seen once only: ${text}`),
      ].join('\n'),
    };
  },
};

export default proof;
