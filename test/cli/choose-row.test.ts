import { expect, test } from 'bun:test';
import { stripVTControlCharacters } from 'node:util';
import { chooseRow } from '../../src/commands/ask/choose-row.ts';
import type { LineTerminal } from '../../src/headless/io.ts';

/** A terminal at which these inputs are typed, one after the other. */
function typing(...inputs: string[]) {
  let shown = '';
  const terminal: LineTerminal = {
    columns: () => 60,
    rows: () => 24,
    show(text) {
      shown += text;
    },
    readLine: () => Promise.reject(new Error('no line is read')),
    openKeys: () => ({ next: async () => inputs.shift(), close: () => {} }),
  };
  return { terminal, shown: () => stripVTControlCharacters(shown) };
}

const rows = ['ollama/qwen3:8b', 'Anthropic, with an API key', 'leave'];
const down = '\u001b[B';

test('down, down, return takes the third row, also when it is typed at once', async () => {
  expect(await chooseRow(typing(down, down, '\r').terminal, { rows })).toEqual({ kind: 'row', index: 2 });
  expect(await chooseRow(typing(`${down}${down}\r`).terminal, { rows })).toEqual({ kind: 'row', index: 2 });
});

test('return alone takes the row under the cursor, which is shown', async () => {
  const { terminal, shown } = typing('\r');
  expect(await chooseRow(terminal, { rows })).toEqual({ kind: 'row', index: 0 });
  expect(shown()).toContain('❯  1  ollama/qwen3:8b');
});

test.each([
  ['its number', '2', 1],
  ['letters in it', 'anth', 1],
] as const)('a row is found by %s', async (_, typed, index) => {
  expect(await chooseRow(typing(typed, '\r').terminal, { rows })).toEqual({ kind: 'row', index });
});

test('a text that is no row is taken only where it means something', async () => {
  expect(await chooseRow(typing('zzz', '\r').terminal, { rows })).toEqual({ kind: 'row', index: 0 });
  expect(await chooseRow(typing('zzz', '\r').terminal, { rows, typedAs: 'id' })).toEqual({
    ...{ kind: 'text', text: 'zzz' },
  });
});

test('escape goes back, ctrl-c interrupts', async () => {
  expect(await chooseRow(typing('\u001b').terminal, { rows })).toEqual({ kind: 'back' });
  expect(await chooseRow(typing('\u0003').terminal, { rows })).toEqual({ kind: 'interrupt' });
});
