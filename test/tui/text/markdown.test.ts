import { describe, expect, test } from 'bun:test';
import { makeTheme, renderMarkdown, type Theme, width } from '../../../src/tui/text/index.ts';
import { isObeyed, plainLines, randomFrom, randomText } from './support.ts';

const theme = makeTheme({ level: '256' });
const bare = makeTheme({ level: 'none', attributes: false });

function shown(markdown: string, columns = 60, options: { theme?: Theme; joins?: boolean } = {}): string[] {
  return plainLines(renderMarkdown(markdown, { width: columns, theme, ...options }));
}

describe('blocks', () => {
  test.each([
    ['a heading', '# One *two* #', ['One two']],
    ['a heading with a line under it', 'One\n===', ['One']],
    ['paragraphs', 'a\n\nb', ['a', '', 'b']],
    ['lines that stay lines', 'a\nb', ['a', 'b']],
    ['a list', '- a\n- b', ['• a', '• b']],
    ['a list after its sentence', 'These:\n- a', ['These:', '• a']],
    ['a list with gaps, closed up', '- a\n\n- b', ['• a', '• b']],
    ['a nested list', '- a\n  - b\n    - c', ['• a', '  ◦ b', '    ▪ c']],
    ['numbers as they were written', '3. a\n4. b', ['3. a', '4. b']],
    ['a second list of another kind', '- a\n\n1. b', ['• a', '', '1. b']],
    ['tasks', '- [x] a\n- [ ] b', ['• ☑ a', '• ☐ b']],
    ['a paragraph in an item', '- a\n\n  b', ['• a', '', '  b']],
    ['code in an item', '- a\n\n  ```\n  x\n\n  y\n  ```\n- b', ['• a', '', '    x', '', '    y', '• b']],
    ['a quote', '> a\n> b', ['│ a', '│ b']],
    ['a list in a quote', '> - a\n> - b', ['│ ◦ a', '│ ◦ b']],
    ['code with its language', '```ts\nlet a;\n\n  b\n```', ['  ts', '  let a;', '', '    b']],
    ['code with longer fences', '````\n```\n````', ['  ```']],
    ['code that has no end yet', '```\na', ['  a']],
    ['indented code', 'a\n\n    b', ['a', '', '  b']],
    ['a rule', 'a\n\n***\n\nb', ['a', '', '─'.repeat(60), '', 'b']],
    ['HTML as it is written', '<details>\n<b>x</b>', ['<details>', '<b>x</b>']],
  ])('%s', (_, markdown, lines) => {
    expect(shown(markdown)).toEqual(lines);
  });

  test('what goes on from before has no second label', () => {
    expect(shown('```ts\na\n```', 60, { joins: true })).toEqual(['  a']);
  });
});

describe('in a line', () => {
  test.each([
    ['emphasis', '*a* **b** ~~c~~ `d`', 'a b c d'],
    ['marks that mean nothing', '2 * 3 * 4 snake_case_name', '2 * 3 * 4 snake_case_name'],
    ['escapes and entities', '\\*a\\* &lt;b&gt; &amp;', '*a* <b> &'],
    ['controls written as numbers, shown', '&#27;[31m &#x1b; &#x202e;', '␛[31m ␛ ⟨U+202E⟩'],
    ['a link with its address', '[text](https://a.b/c)', 'text (https://a.b/c)'],
    ['an address alone, once', 'https://a.b/c <https://d.e>', 'https://a.b/c https://d.e'],
    ['an image by its name', '![pic](x.png)', '[image: pic] (x.png)'],
  ])('%s', (_, markdown, line) => {
    expect(shown(markdown)).toEqual([line]);
  });

  test('where nothing can be coloured, code and headings keep their marks', () => {
    expect(shown('## a `b`', 60, { theme: bare })).toEqual(['## a `b`']);
  });
});

describe('links for a terminal that opens them', () => {
  const linked = makeTheme({ level: '256', hyperlinks: true });
  const render = (markdown: string) => renderMarkdown(markdown, { width: 60, theme: linked }).join('');

  test('the address is behind the text', () => {
    expect(render('[text](https://a.b/c)')).toContain('\x1b]8;;https://a.b/c\x1b\\');
    expect(plainLines([render('[text](https://a.b/c)')])).toEqual(['text']);
  });

  test('text that looks like another address never stands alone', () => {
    expect(plainLines([render('[https://good.org](https://evil.org)')])).toEqual([
      'https://good.org (https://evil.org)',
    ]);
  });

  test.each(['javascript:x', 'file:///etc/passwd', 'https://a.b/\u202e', 'https://a.b/\x1b]0;x'])(
    'no link is made to %j',
    (address) => {
      expect(render(`[text](<${address}>)`)).not.toContain('\x1b]8;;h');
    },
  );
});

describe('tables', () => {
  const table = '| Name | Value |\n|:--|--:|\n| a | 1 |\n| `b` | 22 |';

  test('have columns as wide as they need to be, aligned', () => {
    expect(shown(table)).toEqual(['Name │ Value', '─────┼──────', 'a    │     1', 'b    │    22']);
  });

  test('wrap where they are too wide', () => {
    const lines = shown('| A | B |\n|--|--|\n| one two three | four five six seven |', 24);
    expect(lines.slice(2)).toEqual(['one two     │ four five', 'three       │ six seven']);
  });

  test('stand row below row where no columns fit', () => {
    const wide = `|${' head |'.repeat(8)}\n|${'---|'.repeat(8)}\n|${' cell |'.repeat(8)}`;
    expect(shown(wide, 40)).toEqual(new Array(8).fill('head: cell'));
  });

  test('a cell may hold an escaped bar and a line break', () => {
    expect(shown('| A | B |\n|--|--|\n| x \\| y | 1<br>2 |').slice(2)).toEqual(['x | y │ 1', '      │ 2']);
  });

  test('rows without end are counted', () => {
    const lines = shown(`|a|\n|-|\n${'|x|\n'.repeat(600)}`);
    expect(lines.at(-1)).toBe('… 100 more rows');
  });
});

test('no line is wider than the screen, whatever the text', () => {
  const random = randomFrom(17);
  for (let round = 0; round < 300; round++) {
    const markdown = randomText(random, 60);
    const columns = 8 + random(70);
    for (const line of renderMarkdown(markdown, { width: columns, theme }))
      expect({ columns, markdown, wide: width(line) > columns }).toEqual({ columns, markdown, wide: false });
  }
});

test('letters and digits all come through', () => {
  const random = randomFrom(23);
  for (let round = 0; round < 300; round++) {
    const markdown = randomText(random, 60).replace(/&amp;|<br>|http:\/\/x\.y|^ *\d\. /gm, '');
    const letters = (text: string) => text.replace(/[^a-z日本語한글é]/g, '');
    // Tables may leave out cells, addresses are written twice.
    if (markdown.includes('|') || markdown.includes('](')) continue;
    const lines = shown(markdown, 40);
    expect(letters(lines.join(''))).toBe(letters(markdown));
  }
});

test('nothing hostile in it is obeyed', () => {
  const random = randomFrom(29);
  for (let round = 0; round < 200; round++)
    for (const line of renderMarkdown(randomText(random, 40, true), { width: 40, theme }))
      expect(isObeyed(line)).toBe(false);
});

describe('text that was made to be slow', () => {
  const many = (text: string, size = 200_000) => text.repeat(Math.ceil(size / text.length));
  test.each([
    ['stars', many('*a ')],
    ['underscores', many('_a_')],
    ['brackets', many('[')],
    ['links', many('[a](')],
    ['images', many('![')],
    ['quotes', many('>')],
    ['quotes with blanks', many('> ')],
    ['markers', many('- ')],
    ['numbers', many('1. ')],
    ['fences', many('```\n~~~\n')],
    ['a fence without end', `${many('~')}\``],
    ['tildes and ticks', many(`${'~'.repeat(8000)}\`\n`)],
    ['blanks in a heading', many(`# a${' '.repeat(8000)}x\n`)],
    ['marks in a heading', many(`# a ${'#'.repeat(8000)}x\n`)],
    ['dashes', many(`${'- '.repeat(4000)}x\n`)],
    ['ticks', many('`` ` ``` ')],
    ['tags', many('<a href="')],
    ['comments', many('<!-- ')],
    ['lines', many('a\n')],
    ['table rows', `|a|b|\n|-|-|\n${many('|x|y|\n')}`],
    ['table columns', `${many('|a')}|\n${many('|-')}|\n`],
    ['deep lists', Array.from({ length: 400 }, (_, depth) => `${' '.repeat(depth * 2)}- a`).join('\n')],
    ['headings', many('# a\n')],
    ['underlines', many('a\n=\n')],
    ['blanks', many(' ')],
    ['backslashes', many('\\')],
    ['addresses', many('http://a.')],
    ['ampersands', many('&')],
    ['one word of ten megabytes', 'x'.repeat(10_000_000)],
    ['ten megabytes of lines', many('a **b**\n', 10_000_000)],
  ])('%s', (_, markdown) => {
    for (const line of renderMarkdown(markdown, { width: 80, theme })) expect(line.length).toBeLessThan(5000);
  });
});
