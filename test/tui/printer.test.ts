import { expect, test } from 'bun:test';
import type { Drawing } from '../../src/tui/drawing.ts';
import { Printer } from '../../src/tui/printer.ts';
import { makeTheme } from '../../src/tui/text/index.ts';
import type { Conversation, Entry, LiveBlock } from '../../src/view/index.ts';
import { emptyView } from '../../src/view/index.ts';

const drawing: Drawing = {
  width: 60,
  theme: makeTheme({ level: 'none', attributes: false }),
  home: '/home/me',
  places: [],
  now: 0,
  plain: false,
};

const text = (value: string, liveId: string | null = null, id = value): Entry => ({
  kind: 'text',
  id,
  at: 0,
  text: value,
  liveId,
});
const block = (value: string, id = 'b', index = 0): LiveBlock => ({ kind: 'text', id, index, text: value });

function conversation(entries: Entry[], blocks: LiveBlock[] = [], left = 0): Conversation {
  const { lead } = emptyView();
  return { ...lead, entries, left, live: { ...lead.live, blocks } };
}

/** All that was written, without empty lines. */
function written(printer: Printer): string[] {
  return printer.written
    .slice(0)
    .flatMap((item) => item.text.split('\n'))
    .filter((line) => line !== '');
}

test('a finished entry is written once', () => {
  const printer = new Printer();
  printer.follow(conversation([text('one')]), drawing);
  printer.follow(conversation([text('one'), text('two')]), drawing);
  expect(written(printer)).toEqual(['one', 'two']);
});

test('entries that are not held any more are not written again', () => {
  const printer = new Printer();
  printer.follow(conversation([text('one'), text('two')]), drawing);
  printer.follow(conversation([text('two'), text('three')], [], 1), drawing);
  expect(written(printer)).toEqual(['one', 'two', 'three']);
});

test('an answer that streams in is written piece by piece, and its entry adds only the rest', () => {
  const printer = new Printer();
  const whole = 'First paragraph.\n\nSecond one.\n\nThird.';
  printer.follow(conversation([], [block('First paragraph.\n\nSec')]), drawing);
  expect(written(printer)).toEqual(['First paragraph.']);
  expect(printer.rest?.markdown).toBe('Sec');
  printer.follow(conversation([], [block('First paragraph.\n\nSecond one.\n\nTh')]), drawing);
  printer.follow(conversation([text(whole, 'b')]), drawing);
  expect(written(printer)).toEqual(['First paragraph.', 'Second one.', 'Third.']);
  expect(printer.rest).toBeUndefined();
});

test('where pieces were missing the whole answer is written', () => {
  const printer = new Printer();
  printer.follow(conversation([], [block('First paragraph.\n\nSec')]), drawing);
  printer.follow(conversation([text('First, and longer.\n\nSecond.', 'b')]), drawing);
  expect(written(printer)).toEqual(['First paragraph.', 'First, and longer.', 'Second.']);
});

test('a block that another follows is over: both are written in their order', () => {
  const printer = new Printer();
  printer.follow(conversation([], [block('One.', 'a', 0), block('Two', 'b', 1)]), drawing);
  printer.follow(conversation([text('One.', 'a'), text('Two.', 'b')]), drawing);
  expect(written(printer)).toEqual(['One.', 'Two.']);
});

test('what was taken to be put on the screen otherwise is not written again', () => {
  const printer = new Printer();
  printer.follow(conversation([text('one')]), drawing);
  expect(printer.take().trim()).toBe('one');
  printer.follow(conversation([text('one'), text('two')]), drawing);
  expect(written(printer)).toEqual(['two']);
});

test('another width draws the end anew', () => {
  const printer = new Printer();
  printer.follow(conversation([text('word '.repeat(20).trim())]), drawing);
  const lines = printer.redraw({ ...drawing, width: 20 }, 40).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(20);
});
