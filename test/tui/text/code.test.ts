import { expect, test } from 'bun:test';
import { manualClock, systemClock } from '../../../src/lib/clock.ts';
import { languages } from '../../../src/tui/text/highlight-languages.ts';
import { highlight, loadHighlighter, makeTheme, paint, renderMarkdown } from '../../../src/tui/text/index.ts';
import { plainLines } from './support.ts';

const theme = makeTheme({ level: '256' });
/** With all the time in the world. */
const highlighter = await loadHighlighter(manualClock());
const hurried = await loadHighlighter(systemClock);

test('code has the colours of its language', () => {
  const [line] = highlight('const a = "b"; // c', 'ts', theme, highlighter);
  expect(line).toContain(paint(theme.styles.keyword, 'const'));
  expect(line).toContain(paint(theme.styles.string, '"b"'));
  expect(line).toContain(paint(theme.styles.comment, '// c'));
});

test('what spans lines is coloured on each of them', () => {
  const lines = highlight('/* a\n   b */ x', 'js', theme, highlighter);
  expect(lines[0]).toBe(paint(theme.styles.comment, '/* a'));
  expect(lines[1]).toStartWith(paint(theme.styles.comment, '   b */'));
});

test.each([
  ['an unknown language', 'a b', 'klingon'],
  ['a name of every object', 'a b', 'constructor'],
  ['no language', 'a b', ''],
  ['much code', 'let a;\n'.repeat(40_000), 'js'],
  ['a long line', `let a = "${'x'.repeat(600)}"`, 'js'],
])('%s is plain', (_, code, language) => {
  expect(highlight(code, language, theme, highlighter)).toEqual(code.split('\n'));
});

test('without a highlighter, or without colours, code is plain', () => {
  expect(highlight('let a;', 'js', theme)).toEqual(['let a;']);
  expect(highlight('let a;', 'js', makeTheme({ level: 'none' }), highlighter)).toEqual(['let a;']);
});

const sample =
  'a <b> & "c" \'d\' \\e `f` $g {h} /* i */ // j\n# k\n\n@l [m](n): o = 1.5e3; %p |q| ~r\n\n<!-- s -->\n\tt';
test.each([...new Set(Object.values(languages).map(({ name }) => name))])('%s loses no character', (name) => {
  const [alias = ''] = Object.entries(languages).find(([, grammar]) => grammar.name === name) ?? [];
  expect(plainLines(highlight(sample, alias, theme, highlighter))).toEqual(sample.split('\n'));
});

test('code of many pages is coloured to its end, every line of it', () => {
  const code = 'const a = 1;\nlet b;\n\n'.repeat(1000);
  const lines = highlight(code, 'ts', theme, highlighter);
  expect(plainLines(lines)).toEqual(code.split('\n'));
  expect(lines.at(-3)).toContain(paint(theme.styles.keyword, 'let'));
});

test('what would take a grammar too long stays plain', async () => {
  // The first part takes half a second, after which no more of this second is spent.
  const times = [0, 0, 0, 500];
  const slow = await loadHighlighter({ ...manualClock(), monotonic: () => times.shift() ?? 500 });
  const code = Array.from({ length: 1000 }, (_, index) => `const a = ${index};`).join('\n');
  const lines = highlight(code, 'ts', theme, slow);
  expect(lines[0]).toContain(paint(theme.styles.keyword, 'const'));
  expect(lines.at(-1)).toBe('const a = 999;');
  expect(plainLines(lines)).toEqual(code.split('\n'));
});

test.each([
  ['csharp', 'ab'],
  ['rust', 'r#"'],
  ['ini', 'a.'],
  ['java', 'template<'],
])('code that was made to be slow to colour: %s', (language, text) => {
  const code = `${text.repeat(100)}\n`.repeat(500);
  expect(plainLines(highlight(code, language, theme, hurried))).toEqual(code.split('\n'));
});

test('a block in Markdown is highlighted', () => {
  const lines = renderMarkdown('```python\ndef a(): pass\n```', { width: 40, theme, highlighter });
  expect(lines.join('')).toContain(paint(theme.styles.keyword, 'def'));
});
