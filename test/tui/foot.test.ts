import { expect, test } from 'bun:test';
import type { Drawing } from '../../src/tui/drawing.ts';
import { emptyEditor } from '../../src/tui/editor/index.ts';
import { footLines } from '../../src/tui/panels/layout.ts';
import { pageLines } from '../../src/tui/panels/page-lines.ts';
import { makeTheme } from '../../src/tui/text/index.ts';
import { emptyView } from '../../src/view/index.ts';

const drawingOf = (width: number, level: 'none' | '256' = 'none'): Drawing => ({
  ...{ width, theme: makeTheme({ level, attributes: level !== 'none' }), home: '/home/me', places: [] },
  ...{ now: 0, plain: false },
});
const state = { view: emptyView(), editor: emptyEditor(), columns: 40, rows: 12, now: 0 };
const keys = 'return opens · ctrl-r connects again · ctrl-d disables it · type to search · esc goes back';

test('keys that do not fit are left out whole, the last ones first, and never the way back', () => {
  expect(footLines(keys, state, drawingOf(40), 2)).toEqual([
    '',
    'return opens · ctrl-r connects again',
    'ctrl-d disables it · esc goes back',
  ]);
  expect(footLines(keys, state, drawingOf(40), 1)).toEqual(['', 'return opens · esc goes back']);
});

test('a sentence in the place of the keys is wrapped between words', () => {
  const words = 'Stop the workflow review of all files? y to stop it, any other key to cancel.';
  expect(footLines(words, state, drawingOf(40))).toEqual([
    '',
    'Stop the workflow review of all files? y',
    'to stop it, any other key to cancel.',
  ]);
});

test('on a narrow page an explanation goes below what it explains', () => {
  const page =
    'Keys\n  ctrl-j, alt-return, \\ return   a new line\n  ctrl-o                         all of it, with a search';
  expect(pageLines(page, drawingOf(40))).toEqual([
    'Keys',
    '  ctrl-j, alt-return, \\ return',
    '    a new line',
    '  ctrl-o  all of it, with a search',
  ]);
});

test('what names a value is dim, and a long value continues below itself', () => {
  const [first = '', second = ''] = pageLines('From:    a file with a long name', drawingOf(26, '256'));
  expect(first).toStartWith('\u001b[');
  expect(second).toBe(`${' '.repeat(9)}long name`);
});
