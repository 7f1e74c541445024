import { expect, test } from 'bun:test';
import { EventStream } from '../../src/models/sse.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const all = (pieces: Uint8Array[]) => {
  const stream = new EventStream();
  return pieces.flatMap((piece) => stream.push(piece) ?? ['TOO LONG']);
};

const feed =
  'event: a\ndata: {"ä":1}\n\n: a comment\n\ndata:two\ndata: lines\n\nid: 7\nretry: 5\n\r\ndata: €\r\n\r\ndata: last\r\rdata: open';
const expected = ['{"ä":1}', 'two\nlines', '€', 'last'];

test('the data of whole events comes out, whatever else the stream holds', () => {
  expect(all([bytes(feed)])).toEqual(expected);
});

test('R12 split at any byte, the events are the same', () => {
  const whole = bytes(feed);
  for (let cut = 0; cut <= whole.length; cut++)
    expect(all([whole.slice(0, cut), whole.slice(cut)])).toEqual(expected);
});

test('R12 byte by byte, the events are the same', () => {
  expect(all([...bytes(feed)].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
});

test('a line without end is refused, not collected', () => {
  const stream = new EventStream();
  const megabyte = bytes('x'.repeat(1024 * 1024));
  const answers = Array.from({ length: 40 }, () => stream.push(megabyte));
  expect(answers).toContain(undefined);
});

test('an event without end is refused, however many lines it has', () => {
  const stream = new EventStream();
  const lines = bytes(`data: ${'x'.repeat(1000)}\n`.repeat(1000));
  const answers = Array.from({ length: 40 }, () => stream.push(lines));
  expect(answers).toContain(undefined);
});

test('a line in very many pieces comes out whole', () => {
  const stream = new EventStream();
  stream.push(bytes('data: '));
  for (let i = 0; i < 16_000; i++) stream.push(bytes('x'.repeat(1024)));
  expect(stream.push(bytes('\n\n'))?.map((data) => data.length)).toEqual([16_000 * 1024]);
});
