import { describe, expect, test } from 'bun:test';
import { matchesName } from '../../src/places/name-pattern.ts';
import { escapePattern, matchesPattern } from '../../src/places/pattern.ts';

describe('matchesPattern', () => {
  const cases: [pattern: string, path: string, matches: boolean][] = [
    ['src/**', 'src/a', true],
    ['src/**', 'src/a/b/c', true],
    ['src/**', 'src', false],
    ['src/**', 'srcs/a', false],
    ['src/*', 'src/a', true],
    ['src/*', 'src/a/b', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'x/y/a.ts', true],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/z', true],
    ['a/**/z', 'a/b/c/y', false],
    ['**', 'anything/at/all', true],
    ['secrets', 'secrets/key', true],
    ['secrets/', 'secrets/key', true],
    ['secrets/', 'secrets', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['[a-c]x', 'bx', true],
    ['[a-c]x', 'dx', false],
    ['[!a-c]x', 'dx', true],
    ['[^a-c]x', 'ax', false],
    ['[]]x', ']x', true],
    ['[abc', '[abc', true],
    ['\\*x', '*x', true],
    ['\\*x', 'ax', false],
    ['a**b', 'axyb', true],
    ['*', '.hidden', true],
    ['Src/a', 'src/a', false],
    ['./src//a', 'src/a', true],
  ];
  for (const [pattern, path, matches] of cases)
    test(`${pattern} ${matches ? 'covers' : 'does not cover'} ${path}`, () => {
      expect(matchesPattern(pattern, path.split('/'))).toBe(matches);
    });

  test('folded, names that differ in case or composition are the same', () => {
    expect(matchesPattern('SRC/Caf\u00e9', ['src', 'cafe\u0301'], { fold: true })).toBe(true);
  });

  test('with includeSelf a directory counts as its own content', () => {
    expect(matchesPattern('src/**', ['src'], { includeSelf: true })).toBe(true);
    expect(matchesPattern('src/', ['src'], { includeSelf: true })).toBe(true);
  });

  test('patterns made to explode do not', () => {
    // Exponential matching would not end at all.
    expect(matchesName('*a'.repeat(200), 'a'.repeat(5000).concat('b'))).toBe(false);
    expect(matchesPattern('**/a/'.repeat(100).concat('b'), Array(500).fill('a'))).toBe(false);
  });

  test('an escaped path matches itself only', () => {
    const name = 'we[i]rd*?\\name';
    expect(matchesName(escapePattern(name), name)).toBe(true);
    expect(matchesName(escapePattern(name), 'weird-x\\name')).toBe(false);
  });
});
