import { describe, expect, test } from 'bun:test';
import {
  endStream,
  type MarkdownPiece,
  makeTheme,
  renderMarkdown,
  type StreamPlace,
  splitStream,
} from '../../../src/tui/text/index.ts';
import { randomFrom, randomText } from './support.ts';

const theme = makeTheme({ level: 'none', attributes: false });

function finishedOf(text: string): string[] {
  return splitStream(text).finished.map((piece) => piece.markdown);
}

describe('finished is', () => {
  test.each([
    ['nothing of a paragraph that may go on', 'a\nb\n', []],
    ['a paragraph after an empty line', 'a\n\nb', ['a']],
    ['a heading at its end', '# a\nb', ['# a']],
    ['no heading that may still grow', '# a', []],
    ['nothing of code that is open', '```\na\n\nb\n', []],
    ['code once it is closed', '```\na\n\nb\n```\n', ['```\na\n\nb\n```']],
    ['an item when the next one begins', '- a\n- b\n- c', ['- a']],
    ['no item that may have more in it', '- a\n\n', []],
    ['an item with code in it', '- a\n  ```\n  - x\n\n  ```\n- b\n', ['- a\n  ```\n  - x\n\n  ```']],
    ['a list when other text follows', '- a\n\nb\n', ['- a']],
    ['nothing of a table that may have more rows', '|a|\n|-|\n|b|\n', []],
    ['a table after an empty line', '|a|\n|-|\n|b|\n\n', ['|a|\n|-|\n|b|']],
    ['no paragraph whose next line may make it a heading', 'a\n==', []],
    ['a heading with a line under it', 'a\n==\n', ['a\n==']],
  ])('%s', (_, text, finished) => {
    expect(finishedOf(text)).toEqual(finished);
  });
});

test('the rest is what is open', () => {
  expect(splitStream('a\n\nb *c').rest).toEqual({ markdown: 'b *c', joins: false });
  expect(splitStream('a\n\n').rest).toBeUndefined();
});

test('long code is finished in parts, each code by itself, none of its lines lost', () => {
  const lines = Array.from({ length: 500 }, (_, index) => (index % 30 === 29 ? '' : `line ${index}`));
  const text = `\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n`;
  const { finished } = splitStream(text);
  expect(finished.length).toBeGreaterThan(3);
  for (const piece of finished) expect(piece.markdown).toStartWith('```ts\n');
  expect(finished.map((piece) => piece.joins)).toEqual([false, ...finished.slice(1).map(() => true)]);
  expect(drawn(finished)).toEqual(renderMarkdown(text, { width: 60, theme }));
});

test('a line without end is finished in parts', () => {
  const { finished, rest } = splitStream('word '.repeat(20_000));
  expect(finished.length).toBeGreaterThan(5);
  expect((rest?.markdown ?? '').length).toBeLessThan(17_000);
});

test('what is written piece by piece is what is drawn at once', () => {
  const random = randomFrom(41);
  for (let round = 0; round < 200; round++) {
    const text = `${randomText(random, 50)}\n\nend`;
    expect(drawn(streamed(text, random))).toEqual(renderMarkdown(text, { width: 60, theme }));
  }
});

test('the same with the documents that models write', () => {
  const random = randomFrom(43);
  const text = [
    '# Plan',
    'Some text\nwith lines:',
    '1. one\n   - sub\n\n   more\n2. two\n\n   ```sh\n   ls\n\n   pwd\n   ```\n3. three',
    '> quote\n> more',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '```js\nlet a;\n\nlet b;\n```',
    'Done.\n***\nBye',
  ].join('\n\n');
  for (let round = 0; round < 20; round++)
    expect(drawn(streamed(text, random))).toEqual(renderMarkdown(text, { width: 60, theme }));
});

test('only what is new is looked at', () => {
  let text = '';
  let place: StreamPlace | undefined;
  for (let token = 0; token < 20_000; token++) {
    text += token % 200 === 199 ? '\n\n' : 'word ';
    place = splitStream(text, place).place;
    expect(text.length - place.at).toBeLessThan(2000);
  }
});

/** As it would come from a model, in pieces of any size. */
function streamed(text: string, random: (below: number) => number): MarkdownPiece[] {
  const pieces: MarkdownPiece[] = [];
  let place: StreamPlace | undefined;
  for (let end = 0; end < text.length; end += 1 + random(12)) {
    const split = splitStream(text.slice(0, end), place);
    pieces.push(...split.finished);
    place = split.place;
  }
  return [...pieces, ...endStream(text, place)];
}

function drawn(pieces: readonly MarkdownPiece[]): string[] {
  return pieces.flatMap(({ markdown, joins }, index) => {
    const lines = renderMarkdown(markdown, { width: 60, theme, joins });
    return index === 0 || joins ? lines : ['', ...lines];
  });
}
