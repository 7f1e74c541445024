import { expect, test } from 'bun:test';
import { indexCandidates, rank } from '../../../src/tui/editor/index.ts';
import { randomFrom } from '../text/support.ts';

function first(query: string, ...candidates: string[]): string | undefined {
  return rank(query, candidates)[0]?.text;
}

test.each([
  ['a name before a directory', 'edit', ['editor/a.ts', 'src/edit.ts'], 'src/edit.ts'],
  [
    'starts of words before middles',
    'rm',
    ['src/farm.ts', 'src/render-markdown.ts'],
    'src/render-markdown.ts',
  ],
  ['letters together before letters apart', 'abc', ['a-b-x-c.ts', 'xabc.ts'], 'xabc.ts'],
  ['the shorter of two that match alike', 'index', ['src/deep/down/index.ts', 'index.ts'], 'index.ts'],
  ['a path by its parts', 'src/ed', ['lib/src/fed.ts', 'src/editor.ts'], 'src/editor.ts'],
  [
    'several words, in any order',
    'test rank',
    ['test/tui/rank.test.ts', 'src/rank.ts'],
    'test/tui/rank.test.ts',
  ],
])('prefers %s', (_, query, candidates, best) => {
  expect(first(query, ...candidates)).toBe(best);
  expect(first(query, ...candidates.toReversed())).toBe(best);
});

test('capitals do not count, order does', () => {
  expect(first('README', 'readme.md')).toBe('readme.md');
  expect(rank('ba', ['ab'])).toEqual([]);
});

test('without a query all come, in their order', () => {
  expect(rank('', ['b', 'a', 'c'], 2).map((one) => one.text)).toEqual(['b', 'a']);
});

test('of fifty thousand paths the best few are found, whatever is asked', () => {
  const random = randomFrom(91);
  const words = ['src', 'test', 'lib', 'editor', 'parser', 'stream', 'view', 'model'];
  const word = () => `${words[random(words.length)]}${random(20)}`;
  const paths = Array.from({ length: 50_000 }, () => `${word()}/${word()}/${word()}.ts`);
  const index = indexCandidates([...paths, 'needle/in/haystack.zig']);
  expect(rank('haystack', index)[0]?.text).toBe('needle/in/haystack.zig');
  expect(rank('e', index, 10)).toHaveLength(10);
  expect(rank('q'.repeat(10_000), index)).toEqual([]);
});
