import { expect, test } from 'bun:test';
import type { Drawing } from '../../src/tui/drawing.ts';
import { Printer } from '../../src/tui/printer.ts';
import { makeTheme } from '../../src/tui/text/index.ts';
import type { Entry, LiveBlock, ShownConversation } from '../../src/view/index.ts';
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

function conversation(entries: Entry[], blocks: LiveBlock[] = [], left = 0): ShownConversation {
  const { lead } = emptyView();
  return { ...lead, entries, left, live: { ...lead.live, blocks } };
}

/** All that was written since it was last asked for. */
function takeAll(printer: Printer): string {
  printer.finish(drawing);
  return printer.takeText();
}

/** The same, without empty lines. */
function written(printer: Printer): string[] {
  return takeAll(printer)
    .split('\n')
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
  expect(written(printer)).toEqual(['Second one.', 'Third.']);
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
  expect(printer.takeText().trim()).toBe('one');
  printer.follow(conversation([text('one'), text('two')]), drawing);
  expect(written(printer)).toEqual(['two']);
});

test('another width draws the end anew', () => {
  const printer = new Printer();
  printer.follow(conversation([text('word '.repeat(20).trim())]), drawing);
  const lines = printer.redraw({ ...drawing, width: 20 }, 40);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(20);
});

const part =
  '## Part\n\nSome *words* of a paragraph that goes on.\n\n- an item\n- another\n\n```\ncode\n```\n\n';

test('of a long answer each character is drawn once for good, and never much of it again', () => {
  const printer = new Printer();
  const long = part.repeat(3_000);
  let drawn = 0;
  let again = 0;
  for (let at = 0; at < long.length; at += 700) {
    printer.follow(conversation([], [block(long.slice(0, at))]), drawing);
    drawn += takeAll(printer).length;
    again = Math.max(again, printer.rest?.markdown.length ?? 0);
  }
  printer.follow(conversation([text(long, 'b')]), drawing);
  expect(drawn + takeAll(printer).length).toBeLessThan(long.length * 1.2);
  expect(again).toBeLessThan(1_000);
});

test('more than a screen is written over several frames, in order, and nothing below it before its time', () => {
  const printer = new Printer();
  const whole = Array.from({ length: 5_000 }, (_, index) => `Paragraph ${index}.`).join('\n\n');
  printer.follow(conversation([], [block(`${whole}\n\nThe re`)]), drawing);
  const texts: string[] = [];
  const most = () => texts.push(printer.takeText());
  most();
  expect(printer.isBehind).toBe(true);
  expect(printer.rest).toBeUndefined();
  while (printer.isBehind) {
    printer.follow(conversation([], [block(`${whole}\n\nThe re`)]), drawing);
    most();
  }
  expect(printer.rest?.markdown).toBe('The re');
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(20_000);
  expect(texts.join('\n').trim()).toBe(whole);
});

test('what is left out of the entry of an immense answer is not left out where it was seen streaming', () => {
  const printer = new Printer();
  const whole = `${'word '.repeat(300)}\n\n${'line\n\n'.repeat(20_000)}The end.`;
  printer.follow(conversation([], [block(whole.slice(0, -100))]), drawing);
  const cut = `${whole.slice(0, 5_000)}\n\n…\n\n${whole.slice(-5_000)}`;
  const entry = { ...text(cut, 'b', 'id'), characters: whole.length } as Entry;
  printer.follow(conversation([entry]), drawing);
  const lines = written(printer);
  expect(lines.filter((line) => line === 'line')).toHaveLength(20_000);
  expect(lines.at(-1)).toBe('The end.');
});
