import { expect, test } from 'bun:test';
import { stripVTControlCharacters } from 'node:util';
import { statusLines } from '../../src/tui/screen/status-line.ts';
import { welcomeLines } from '../../src/tui/screen/welcome.ts';
import { tableLines, type WorkCells } from '../../src/tui/screen/work-table.ts';
import { makeTheme } from '../../src/tui/text/index.ts';
import { emptyView } from '../../src/view/index.ts';

const drawingOf = (width: number) => ({
  ...{ width, theme: makeTheme({ level: '256' }), home: '/home/me', places: [], now: 0, plain: false },
});
const bare = (lines: readonly string[]) => lines.map(stripVTControlCharacters);

const running: WorkCells = {
  ...{ state: 'running', word: 'running', name: 'worker', text: 'Run the tests', depth: 0 },
  ...{ ms: 64_000, tokens: 12_300, cost: { microUsd: 120_000 }, detail: 'Bash npm test' },
};
const failed: WorkCells = {
  ...running,
  state: 'failed',
  word: 'failed',
  text: 'Fix it',
  depth: 1,
  detail: 'no luck',
};

test('a table of work has its columns under each other, and the last is what was done last', () => {
  const { header, rows } = tableLines([running, failed], drawingOf(100));
  expect(bare([header, ...rows])).toEqual([
    '                        state       time  tokens    cost  last action',
    '● worker Run the tests  running   1m 04s   12.3k   $0.12  Bash npm test',
    '  ✗ worker Fix it       failed    1m 04s   12.3k   $0.12  no luck',
  ]);
});

test.each([
  [60, '● worker Run the tests  running   1m 04s   12.3k   $0.12'],
  [40, '● worker Run the tests  running   1m 04s'],
  [33, '● worker Run the tests  running'],
])('a narrow one leaves out the last columns first: %p', (width, line) => {
  expect(bare(tableLines([running], drawingOf(width)).rows).map((row) => row.trimEnd())).toEqual([line]);
});

test('the cost of a model without a known price is not shown', () => {
  const local = { ...running, cost: { microUsd: null } };
  expect(bare(tableLines([local], drawingOf(100)).rows)[0]).not.toContain('$');
});

const facts = {
  ...{ cwd: '/home/me/work', branch: 'main', model: 'scripted/model', mode: 'default' },
  ...{ hasMemory: true, isRepository: true, isShort: false },
};

test('the first panel names model, directory and mode, with three tips for the directory', () => {
  const text = bare(welcomeLines({ ...facts, hasMemory: false }, 30, drawingOf(100))).join('\n');
  expect(text).toMatch(/model +scripted\/model/);
  expect(text).toMatch(/directory +~\/work \(main\)/);
  expect(text).toMatch(/mode +asks before edits/);
  expect(text).toContain('No AGENTS.md here yet');
  expect(text).toContain('/help shows keys');
});

test.each([
  ['a short screen', 20, 100, false],
  ['a narrow screen', 30, 50, false],
  ['a conversation that continues', 30, 100, true],
])('%s has one line instead', (_, rows, width, isShort) => {
  expect(welcomeLines({ ...facts, isShort }, rows, drawingOf(width))).toHaveLength(1);
});

test.each([
  ['bypassPermissions', 'error', 'ASKS NOTHING, ALLOWS ALL'],
  ['acceptEdits', 'warning', '▸▸ accepts edits, asks before unsandboxed commands'],
  ['plan', 'accent', 'plan mode'],
] as const)('the mode %s has the look of %s in the status line', (mode, style, words) => {
  const drawing = drawingOf(160);
  const [line = ''] = statusLines(emptyView({ cwd: '/work', mode, model: 'm' }), { questions: 0 }, drawing);
  const { fg = '' } = drawing.theme.styles[style];
  expect(line).toMatch(new RegExp(`\\u001b\\[[^m]*${fg}m${words}`));
});
