import { describe, expect, test } from 'bun:test';
import { manualClock } from '../../../src/lib/clock.ts';
import { diffLines } from '../../../src/lib/text/diff.ts';
import { buildPreview } from '../../../src/tools/files/preview.ts';
import { loadHighlighter, makeTheme, paint, renderDiff, width } from '../../../src/tui/text/index.ts';
import { temporaryDirectory } from '../../support/index.ts';
import { isObeyed, plainLines, randomFrom, randomText } from './support.ts';

const theme = makeTheme({ level: '16' });
const options = { width: 60, theme };

function shown(before: string, after: string): string[] {
  return plainLines(renderDiff({ before, after }, options));
}

test('each line has its number and its sign', () => {
  expect(shown('a\nb\nc\n', 'a\nB\nc\n')).toEqual(['1   a', '2 - b', '2 + B', '3   c']);
});

test('parts of the file that are far apart are set apart', () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  const changed = lines.with(2, 'x').with(25, 'y');
  expect(shown(`${lines.join('\n')}\n`, `${changed.join('\n')}\n`)).toContain('⋮');
});

test('lines of which nobody knows where they stand have no numbers', () => {
  const hunks = [{ oldStart: 0, oldLines: 2, newStart: 0, newLines: 2, lines: [' a', '-b', '+B'] }];
  expect(plainLines(renderDiff({ hunks }, options))).toEqual(['  a', '- b', '+ B']);
});

test('a missing newline at the end is said', () => {
  expect(shown('a\n', 'a')).toEqual(['1 - a', '1 + a', '  \\  No newline at end of file']);
});

test('the words that differ are set off', () => {
  const [removed, added] = renderDiff({ before: 'let a = 1;\n', after: 'let a = 22;\n' }, options);
  expect(removed).toContain(paint(theme.styles.removedWord, '1'));
  expect(added).toContain(paint(theme.styles.addedWord, '22'));
});

test('lines with little in common are not compared by words', () => {
  const lines = renderDiff({ before: 'let a = 1;\n', after: 'return nothing at all\n' }, options);
  expect(lines.join('')).not.toContain('\x1b[7');
});

test('a colour behind the text goes to the end of the line, and syntax keeps its own', async () => {
  const rich = makeTheme({ level: 'true' });
  const highlighter = await loadHighlighter(manualClock());
  const [, line = ''] = renderDiff(
    { before: '', after: 'const a = 1;\n' },
    { width: 40, theme: rich, path: 'a.ts', highlighter },
  );
  expect(width(line)).toBe(40);
  expect(line).toContain(`${rich.styles.keyword.fg};${rich.styles.addedBlock.bg}`);
});

test('no more lines than asked for, and what is left is counted', () => {
  const lines = plainLines(
    renderDiff({ before: '', after: 'x\n'.repeat(100) }, { ...options, maxLines: 10 }),
  );
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe('… 90 more lines');
});

test('without a limit nothing is left out, however long', () => {
  const after = `${'x'.repeat(100_000)}\n`;
  const text = plainLines(renderDiff({ before: '', after }, options)).join('');
  expect(text.split('x').length - 1).toBe(100_000);
});

test('no change is said to be none', () => {
  expect(shown('a\n', 'a\n')).toEqual(['(no change)']);
});

describe('sources', () => {
  test('what a tool tells of its change', () => {
    const hunks = diffLines('a\n', 'b\n');
    expect(plainLines(renderDiff({ hunks }, options))).toEqual(['1 - a', '1 + b']);
  });

  test('the preview of a question', async () => {
    const { path } = temporaryDirectory();
    await Bun.write(`${path}/a.txt`, 'one\ntwo\n');
    const input = { file_path: 'a.txt', old_string: 'two', new_string: '2' };
    const preview = buildPreview({ toolName: 'Edit', input, cwd: path });
    expect(preview.kind).toBe('diff');
    expect(plainLines(renderDiff({ unified: preview.text }, options))).toEqual([
      '1   one',
      '2 - two',
      '2 + 2',
    ]);
  });

  test('a preview without a change', () => {
    expect(plainLines(renderDiff({ unified: '(no change)' }, options))).toEqual(['(no change)']);
  });
});

test('hostile text keeps within the line and is not obeyed', () => {
  const random = randomFrom(51);
  for (let round = 0; round < 150; round++) {
    const [before, after] = [randomText(random, 30, true), randomText(random, 30, true)];
    const columns = 12 + random(60);
    for (const line of renderDiff(
      { before, after },
      { width: columns, theme, path: randomText(random, 5, true) },
    )) {
      expect(isObeyed(line)).toBe(false);
      expect(width(line)).toBeLessThanOrEqual(columns);
    }
  }
});
