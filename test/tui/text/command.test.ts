import { expect, test } from 'bun:test';
import { manualClock } from '../../../src/lib/clock.ts';
import {
  loadHighlighter,
  makeTheme,
  paint,
  renderCommand,
  renderOutput,
  width,
} from '../../../src/tui/text/index.ts';
import { isObeyed, plainLines, randomFrom, randomText } from './support.ts';

const theme = makeTheme({ level: '256' });

test('a command is shown whole, line below line', () => {
  expect(plainLines(renderCommand('for f in *; do\n\techo "$f"\ndone', { width: 40, theme }))).toEqual([
    '$ for f in *; do',
    '      echo "$f"',
    '  done',
  ]);
});

test('what is left out counts the lines of the whole output, of which the view holds only the ends', () => {
  const lines = plainLines(
    renderOutput('1\n2\n3\n…\n2999\n3000', { width: 40, theme, maxLines: 4, keep: 'both', allLines: 3000 }),
  );
  expect(lines).toEqual(['1', '2', '… 2996 lines', '2999', '3000']);
});

test('a long command is cut at the cell and loses nothing', () => {
  const command = `echo ${'a b  '.repeat(2000)}`;
  const lines = plainLines(renderCommand(command, { width: 40, theme }));
  expect(lines.map((line) => line.slice(2).replace(/^↳ /, '')).join('') === command).toBe(true);
  expect(lines.slice(1).every((line) => line.startsWith('  ↳ '))).toBe(true);
  expect(plainLines(renderCommand('echo a\nls', { width: 40, theme }))).toEqual(['$ echo a', '  ls']);
});

test('what cannot be seen in it is set off', () => {
  const [line] = renderCommand('ls \x1b]52;c;aGk=\x07', { width: 40, theme });
  expect(line).toContain(paint(theme.styles.control, '␛'));
  expect(line).toContain(paint(theme.styles.control, '␇'));
});

test('its grammar has colours where nothing is hidden', async () => {
  const lines = renderCommand('if true; then ls; fi', {
    width: 40,
    theme,
    highlighter: await loadHighlighter(manualClock()),
  });
  expect(lines.join('')).toContain(paint(theme.styles.keyword, 'if'));
});

test('a screen of few columns shows the command before the prompt', () => {
  for (const line of renderCommand('echo 日本語', { width: 8, theme }))
    expect(width(line)).toBeLessThanOrEqual(8);
});

test('output of too many lines says what is left out, at its place', () => {
  const text = `${Array.from({ length: 10 }, (_, index) => index).join('\n')}\n`;
  const shown = (keep: 'head' | 'tail' | 'both') =>
    plainLines(renderOutput(text, { width: 20, theme, maxLines: 4, keep }));
  expect(shown('head')).toEqual(['0', '1', '2', '3', '… 6 more lines']);
  expect(shown('tail')).toEqual(['… 6 more lines', '6', '7', '8', '9']);
  expect(shown('both')).toEqual(['0', '1', '… 6 lines', '8', '9']);
});

test('one line more than there should be is shown: words that it is missing would take as much room', () => {
  for (const keep of ['head', 'tail', 'both'] as const)
    expect(plainLines(renderOutput('a\nb\nc\n', { width: 20, theme, maxLines: 2, keep }))).toEqual([
      'a',
      'b',
      'c',
    ]);
});

test('a line of ten megabytes takes no more room than it should', () => {
  const lines = renderOutput(`\x1b]0;x\x07${'x'.repeat(10_000_000)}`, { width: 80, theme });
  expect(lines.length).toBeLessThan(60);
});

test('hostile output keeps within the line and is not obeyed', () => {
  const random = randomFrom(61);
  for (let round = 0; round < 200; round++) {
    const text = randomText(random, 40, true);
    const columns = 2 + random(60);
    const all = [
      ...renderOutput(text, { width: columns, theme }),
      ...renderCommand(text, { width: columns, theme }),
    ];
    for (const line of all) {
      expect(isObeyed(line)).toBe(false);
      expect(width(line)).toBeLessThanOrEqual(columns);
    }
  }
});

test('an emoji in quotes looks as it should, and outside of them its parts are named', () => {
  const shown = (command: string) => plainLines(renderCommand(command, { width: 60, theme })).join('\n');
  expect(shown("git commit -m '♻\ufe0f refactor'")).toBe("$ git commit -m '♻\ufe0f refactor'");
  expect(shown('git commit -m ♻\ufe0f')).toBe('$ git commit -m ♻⟨U+FE0F⟩');
});
