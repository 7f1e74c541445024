import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Proof } from '../../scripts/proofs.ts';
import type { Claim } from '../../src/protocol/index.ts';
import { collectEvidence } from '../../src/receipts/evidence.ts';
import { locateRun } from '../../src/receipts/locate-run.ts';
import { resolveClaims } from '../../src/receipts/resolve-claims.ts';
import { verifyChain } from '../../src/receipts/verify-chain.ts';
import { type RunPlace, verifyRun } from '../../src/receipts/verify-run.ts';
import { readAnchors } from '../../src/store/anchors/anchors.ts';
import { leadFile } from '../../src/store/anchors/record-chain.ts';
import { createLayout } from '../../src/store/layout.ts';
import { loadTranscript } from '../../src/store/transcript.ts';
import { judgeLater } from './later-claims.ts';
import { type Random, seededRandom } from './random.ts';
import { performRun, type ReceiptRun, removeRun } from './receipt-run.ts';

const proof: Proof = {
  name: 'receipts',
  promise:
    'HO8 G12: a false claim about a run never passes, true ones are confirmed, and every flipped byte, removed record and cut tail of a run is found',
  async run(full, seed) {
    const random = seededRandom(seed);
    // Every byte of the second one is tried, so it is short.
    const run = await performRun(random, full ? 320 : 20);
    const small = full ? await performRun(random, 12) : run;
    try {
      const claims = await judge(run, full ? 500 : 40, random);
      const later = await judgeLater(full ? 5 : 1);
      const tampered = await tamper(small, full, random);
      const passed =
        claims.passedLies.length === 0 &&
        later.passed.length === 0 &&
        later.doubted.length === 0 &&
        claims.confirmed >= 0.98 &&
        tampered.missed.length === 0;
      return {
        passed,
        figures: {
          ...{ 'true claims': claims.truths, 'confirmed, %': Math.floor(1000 * claims.confirmed) / 10 },
          ...{ 'false claims': claims.lies, 'false claims that passed': claims.passedLies.length },
          ...{ 'false claims about checks': later.lies, 'of these passed': later.passed.length },
          ...{ 'bytes of the run': tampered.bytes, 'flipped bytes': tampered.flips },
          ...{
            'removed records': tampered.removed,
            'cut tails': tampered.cuts,
            missed: tampered.missed.length,
          },
        },
        detail: [
          ...claims.passedLies,
          ...later.passed,
          ...later.doubted,
          ...claims.doubted.slice(0, 5),
          ...tampered.missed,
        ]
          .slice(0, 20)
          .join('\n'),
      };
    } finally {
      removeRun(run);
      removeRun(small);
    }
  },
};

export default proof;

async function judge(run: ReceiptRun, count: number, random: Random) {
  const place = await findPlace(run);
  const loaded = await loadTranscript(place.main);
  if (!loaded.ok) throw new Error(loaded.problem.message);
  const evidence = collectEvidence([{ agentId: null, cwd: run.cwd, records: loaded.value.records }]);
  const checks = { tests: [{ command: 'npm test', cwd: run.cwd }] };
  const look = { changed: [] };
  const resolve = (claims: Claim[]) => resolveClaims(claims, { evidence, agentId: null, checks, look });
  const truths = resolve(pick(run.truths, count, random));
  const lies = resolve(pick(run.lies, count, random));
  const doubted = truths.filter(({ verdict }) => verdict !== 'confirmed');
  const passedLies = lies.filter(({ verdict }) => verdict === 'confirmed');
  return {
    ...{ truths: truths.length, lies: lies.length },
    confirmed: 1 - doubted.length / truths.length,
    doubted: doubted.map((one) => `doubted: ${JSON.stringify(one)}`),
    passedLies: passedLies.map((one) => `passed: ${JSON.stringify(one)}`),
  };
}

/** All kinds, whatever their order was. */
function pick(claims: readonly Claim[], count: number, random: Random): Claim[] {
  const left = [...claims];
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(random.below(left.length), 1),
  ).flat();
}

async function findPlace({ home, cwd, sessionId }: ReceiptRun): Promise<RunPlace> {
  const place = await locateRun(createLayout(home), cwd, sessionId);
  if (!place.ok) throw new Error(place.problem.message);
  return place.value;
}

async function tamper(run: ReceiptRun, full: boolean, random: Random) {
  const place = await findPlace(run);
  const before = await verifyRun(place);
  const missed: string[] = before.ok
    ? []
    : [`an untouched run is not verified: ${JSON.stringify(before.files)}`];
  const whole = readFileSync(place.main);
  const anchors = readAnchors(place.anchors).filter(({ file }) => file === leadFile);
  const isFound = async (bytes: Uint8Array) => {
    writeFileSync(place.main, bytes);
    const check = await verifyChain({ name: leadFile, path: place.main }, anchors);
    return check.faults.length > 0;
  };
  const flips = full
    ? Array.from(whole.keys())
    : Array.from({ length: 150 }, () => random.below(whole.length));
  for (const at of flips) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    if (!(await isFound(bytes))) missed.push(`the flipped byte ${at}`);
  }
  const ends = [...whole.keys()].filter((at) => whole[at] === 0x0a).map((at) => at + 1);
  for (const [index, end] of ends.entries()) {
    const start = ends[index - 1] ?? 0;
    const without = Buffer.concat([whole.subarray(0, start), whole.subarray(end)]);
    if (!(await isFound(without))) missed.push(`the removed record ${index + 1}`);
  }
  const cuts = full
    ? Array.from(whole.keys())
    : [...ends.slice(0, -1), ...Array.from({ length: 50 }, () => random.below(whole.length))];
  for (const cut of cuts) if (!(await isFound(whole.subarray(0, cut)))) missed.push(`the tail cut at ${cut}`);
  rmSync(place.main);
  if ((await verifyRun(place)).ok) missed.push('the removed transcript');
  writeFileSync(place.main, whole);
  if (!existsSync(place.main) || !(await verifyRun(place)).ok) missed.push('it is not as before');
  return { bytes: whole.length, flips: flips.length, removed: ends.length, cuts: cuts.length, missed };
}
