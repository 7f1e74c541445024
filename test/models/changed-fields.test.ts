import { describe, expect, test } from 'bun:test';
import { faultOfCorruption } from './stream-checks.ts';
import { type RecordedStream, recordStreams } from './streams.ts';
import { writtenStreams } from './written-streams.ts';

type Path = (string | number)[];

/** Of another type than any field has, and such that the runtime's own conversions of it fail. */
const values: unknown[] = [{ toString: 1, valueOf: 1 }, null, -1, ''];

const streams = [...(await recordStreams()), ...writtenStreams()];

describe('R12', () => {
  for (const stream of streams)
    test(`${stream.name}: a field of any event may hold anything; the answer ends as a value`, async () => {
      const faults: string[] = [];
      for (const { name, bytes } of changeFields(stream)) {
        const fault = await faultOfCorruption(stream, bytes);
        if (fault) faults.push(`${name}: ${fault}`);
      }
      expect(faults).toEqual([]);
    }, 60_000);
});

/** The stream once for each field of each kind of event and each value. */
function* changeFields({ bytes }: RecordedStream): Generator<{ name: string; bytes: Uint8Array }> {
  const frames = new TextDecoder().decode(bytes).split(/(?<=\n\n)/);
  const seen = new Set<string>();
  for (const [index, frame] of frames.entries()) {
    const [, head = '', data = ''] = /^([\s\S]*?data: ?)(\{.*)\n/.exec(frame) ?? [];
    if (data === '') continue;
    const event: unknown = JSON.parse(data);
    for (const path of listPaths(event)) {
      const name = `${JSON.stringify(Reflect.get(Object(event), 'type'))} ${path.join('.')}`;
      if (seen.has(name)) continue;
      seen.add(name);
      for (const value of values) {
        const changed = `${head}${JSON.stringify(replaceAt(event, path, value))}\n\n`;
        const text = frames.map((one, at) => (at === index ? changed : one)).join('');
        yield { name: `${name} = ${JSON.stringify(value)}`, bytes: new TextEncoder().encode(text) };
      }
    }
  }
}

function listPaths(value: unknown, above: Path = []): Path[] {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  return [
    ...(above.length > 0 ? [above] : []),
    ...keys.flatMap((key) => listPaths(Reflect.get(Object(value), key), [...above, key])),
  ];
}

function replaceAt(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  const inner = replaceAt(Reflect.get(Object(value), key), rest, by);
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === String(key) ? inner : item));
  return { ...Object(value), [key]: inner };
}
