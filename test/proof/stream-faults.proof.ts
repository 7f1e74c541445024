import type { Proof } from '../../scripts/proofs.ts';
import { faultOfCorruption, faultOfCut, faultOfSplit, play } from '../models/stream-checks.ts';
import { type RecordedStream, recordStreams } from '../models/streams.ts';
import { writtenStreams } from '../models/written-streams.ts';
import { type Random, seededRandom } from './random.ts';

const proof: Proof = {
  name: 'stream-faults',
  promise:
    'R12: answers of every wire, split at every byte, cut after every byte and with bytes changed, end as a value; no half call comes out',
  async run(full, seed) {
    const streams = [...(await recordStreams()), ...writtenStreams()];
    const random = seededRandom(seed);
    const faults: string[] = [];
    const done = { splits: 0, cuts: 0, changes: 0 };
    for (const stream of streams) await tryStream(stream, full, random, faults, done);
    return {
      passed: faults.length === 0,
      figures: { streams: streams.length, ...done, faults: faults.length },
      detail: faults.slice(0, 10).join('\n'),
    };
  },
};

export default proof;

/** Reduced: every so many bytes, beginning anywhere; the test of the adapters has the rest. */
async function tryStream(
  stream: RecordedStream,
  full: boolean,
  random: Random,
  faults: string[],
  done: { splits: number; cuts: number; changes: number },
): Promise<void> {
  const { name, bytes } = stream;
  const whole = await play(stream, [bytes]);
  const note = (what: string, fault: string | undefined) =>
    fault && faults.push(`${name}, ${what}: ${fault}`);
  const step = full ? 1 : 397;
  for (let at = full ? 0 : random.below(step); at <= bytes.length; at += step) {
    note(`split at ${at}`, await faultOfSplit(stream, whole, [bytes.slice(0, at), bytes.slice(at)]));
    note(`cut after ${at}`, await faultOfCut(stream, whole, at));
    done.splits++;
    done.cuts++;
  }
  const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
  note('byte by byte', await faultOfSplit(stream, whole, single));
  for (let round = 0; round < (full ? 2_000 : 4); round++, done.changes++) {
    const changed = bytes.slice();
    for (let flips = random.below(4); flips >= 0; flips--)
      changed[random.below(bytes.length)] = random.below(256);
    note(`changed, round ${round}`, await faultOfCorruption(stream, changed));
  }
}
