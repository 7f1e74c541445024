import { describe, expect, test } from 'bun:test';
import { seededRandom } from '../../src/lib/random.ts';
import { faultOfCorruption, faultOfCut, faultOfSplit, play } from './stream-checks.ts';
import { recordStreams } from './streams.ts';
import { writtenStreams } from './written-streams.ts';

const streams = [...(await recordStreams()), ...writtenStreams()];

/** The adapters over a library are slower: of those every place counts in the proof, here some of them. */
const stepFor = (name: string) => (name.startsWith('anthropic') ? 1 : 23);

describe('R12', () => {
  for (const stream of streams) {
    const { name, bytes } = stream;
    const step = stepFor(name);

    test(`${name}: split at any byte, and byte by byte, the events are the same`, async () => {
      const whole = await play(stream, [bytes]);
      const faults: string[] = [];
      for (let at = 1; at < bytes.length; at += step) {
        const fault = await faultOfSplit(stream, whole, [bytes.slice(0, at), bytes.slice(at)]);
        if (fault) faults.push(`at ${at}: ${fault}`);
      }
      const single = await faultOfSplit(
        stream,
        whole,
        Array.from(bytes, (byte) => Uint8Array.of(byte)),
      );
      expect([...faults.slice(0, 3), ...(single ? [single] : [])]).toEqual([]);
    });

    test(`${name}: cut off after any byte, it fails as a value and no half call comes out`, async () => {
      const whole = await play(stream, [bytes]);
      const faults: string[] = [];
      for (let length = 0; length <= bytes.length; length += step) {
        const fault = await faultOfCut(stream, whole, length);
        if (fault) faults.push(`after ${length} of ${bytes.length}: ${fault}`);
      }
      expect(faults.slice(0, 3)).toEqual([]);
    });

    test(`${name}: with bytes changed at random, it ends as a value and no half call comes out`, async () => {
      const random = seededRandom(12);
      const faults: string[] = [];
      for (let round = 0; round < 300 / step; round++) {
        const changed = bytes.slice();
        for (let flips = 1 + Math.floor(random() * 3); flips > 0; flips--)
          changed[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
        const fault = await faultOfCorruption(stream, changed);
        if (fault) faults.push(`round ${round}: ${fault}`);
      }
      expect(faults.slice(0, 3)).toEqual([]);
    });
  }
});
