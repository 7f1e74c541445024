import { expect, test } from 'bun:test';
import { LineSplitter } from '../../src/lib/split-lines.ts';

function takeAll(lines: LineSplitter): string[] {
  const taken: string[] = [];
  for (let line = lines.take(); line !== undefined; line = lines.take()) {
    taken.push(typeof line === 'string' ? line : Buffer.from(line).toString());
    if (line === 'too long') break;
  }
  return taken;
}

test('lines come whole, however they are cut', () => {
  const lines = new LineSplitter(100);
  for (const piece of ['a', 'b\nc', '\n', '\nd\ne']) lines.add(Buffer.from(piece));
  expect(takeAll(lines)).toEqual(['ab', 'c', '', 'd']);
  lines.add(Buffer.from('f\n'));
  expect(takeAll(lines)).toEqual(['ef']);
});

test('a line that is too long ends it, whether or not its end came', () => {
  for (const piece of ['123456', '123456\nnext\n']) {
    const lines = new LineSplitter(5);
    lines.add(Buffer.from(`12345\n${piece}`));
    expect(takeAll(lines)).toEqual(['12345', 'too long']);
    lines.add(Buffer.from('more\n'));
    expect(takeAll(lines)).toEqual(['too long']);
  }
});
