import { expect, test } from 'bun:test';
import { diffLines, type Hunk, renderHunks } from '../../src/lib/text/diff.ts';

function apply(before: string, hunks: readonly Hunk[]): string {
  const lines = before.split('\n').slice(0, -1);
  for (const hunk of hunks.toReversed()) {
    const texts = (sign: string) =>
      hunk.lines.filter((line) => line[0] === ' ' || line[0] === sign).map((line) => line.slice(1));
    expect(lines.slice(hunk.oldStart - 1, hunk.oldStart - 1 + hunk.oldLines)).toEqual(texts('-'));
    lines.splice(hunk.oldStart - 1, hunk.oldLines, ...texts('+'));
  }
  return lines.map((line) => `${line}\n`).join('');
}

test('a diff applied to the old text gives the new one, for many random pairs', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return (seed >> 8) % below;
  };
  const text = () => Array.from({ length: random(30) }, () => `line ${random(6)}\n`).join('');
  for (let round = 0; round < 300; round++) {
    const before = text();
    const after = random(2) === 0 ? text() : before.replace(/line 3\n/g, 'changed\nmore\n');
    expect(apply(before, diffLines(before, after))).toBe(after);
  }
});

test('texts that have nothing in common are one block, at once', () => {
  const [a, b] = ['a', 'b'].map((name) =>
    Array.from({ length: 20_000 }, (_, index) => `${name}${index}`).join('\n'),
  );
  const hunks = diffLines(a ?? '', b ?? '');
  expect(hunks).toHaveLength(1);
  expect(hunks[0]).toMatchObject({ oldLines: 20_000, newLines: 20_000 });
});

test('a missing newline at the end is a difference', () => {
  expect(renderHunks(diffLines('a\n', 'a'), 10)).toBe(
    '@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file',
  );
});

test('a long diff is cut and says so', () => {
  expect(renderHunks(diffLines('', 'x\n'.repeat(50)), 10)).toEndWith('[41 more lines of the diff]');
});
