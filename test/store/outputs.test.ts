import { expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createOutputs, storeLargeResult } from '../../src/store/outputs.ts';
import { temporaryDirectory } from '../support/index.ts';

const create = () => {
  const directory = join(temporaryDirectory().path, 'tool-results');
  return { directory, outputs: createOutputs(directory) };
};

test('the directory is made private when the first path is asked for', () => {
  const { directory, outputs } = create();
  expect(existsSync(directory)).toBe(false);
  expect(outputs.pathFor('toolu_1.txt')).toBe(join(directory, 'toolu_1.txt'));
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test('no name leaves the directory, and different names stay different', () => {
  const { directory, outputs } = create();
  const names = ['../../etc/passwd', '..', '.', '', '/abs', 'a/b', 'a b', 'a\0b', '.hidden', 'x'.repeat(500)];
  const paths = names.map((name) => outputs.pathFor(name));
  for (const path of paths) expect(dirname(path)).toBe(directory);
  expect(new Set(paths).size).toBe(names.length);
  for (const path of paths) expect(path.length - directory.length).toBeLessThan(130);
});

test('a short result stays in the context', () => {
  const { directory, outputs } = create();
  expect(storeLargeResult(outputs, 'c1', 'short', 100)).toEqual({ text: 'short' });
  expect(existsSync(directory)).toBe(false);
});

test('a large result goes to a private file, its ends and the path to the context', () => {
  const { outputs } = create();
  const whole = `begin${'x'.repeat(10_000)}end`;
  const stored = storeLargeResult(outputs, 'c1', whole, 500);
  expect(stored.path && readFileSync(stored.path, 'utf8')).toBe(whole);
  expect(stored.path && statSync(stored.path).mode & 0o777).toBe(0o600);
  expect(stored.text).toStartWith('begin');
  expect(stored.text).toContain(stored.path ?? 'missing');
  expect(stored.text.length).toBeLessThan(800);
});
