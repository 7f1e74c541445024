import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '..');
const points = [...read('docs/spec.md').matchAll(/^- \*\*([A-Z]{1,2}\d{1,2})\*\* \S/gm)].map(
  (row) => row[1] ?? '',
);
const tests = listSource('test');
const cited = new Set(tests.flatMap((path) => findCited(path, read(path))));

test('every id that a test name cites is in docs/spec.md', () => {
  const unknown = tests.flatMap((path) =>
    findCited(path, read(path))
      .filter((id) => !points.includes(id))
      .map((id) => `${path}: ${id}`),
  );
  expect(unknown).toEqual([]);
});

test('every id that a comment in src/ cites is in docs/spec.md', () => {
  const unknown = listSource('src').flatMap((path) =>
    findInComments(read(path))
      .filter((id) => !points.includes(id))
      .map((id) => `${path}: ${id}`),
  );
  expect(unknown).toEqual([]);
});

test('every id in docs/spec.md is cited by a test name, and is there once', () => {
  expect(points.filter((id) => !cited.has(id))).toEqual([]);
  expect(new Set(points).size).toBe(points.length);
});

/** Names begin with their ids, or end with one in parentheses: `test('CX1 G2 a child …')`, `'a panel … (UI2)'`. */
function findCited(path: string, text: string): string[] {
  const begin = path.endsWith('.proof.ts') ? /(?:\(|promise:)\s*['"`]/ : /\(\s*['"`]/;
  const first = [...text.matchAll(new RegExp(`${begin.source}((?:[A-Z]{1,2}\\d{1,2}[,:]? )+)`, 'g'))];
  const last = [...text.matchAll(/ \(([A-Z]{1,2}\d{1,2})\)['"`]/g)];
  return [...first, ...last].flatMap((match) => match[1]?.match(/[A-Z]{1,2}\d{1,2}/g) ?? []);
}

/** Only ids of two letters, and guarantees: another letter with a number is too often something else. */
function findInComments(text: string): string[] {
  const comments = text.match(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm) ?? [];
  return comments.flatMap((comment) => comment.match(/\b(?:[A-Z]{2}|G)\d{1,2}\b/g) ?? []);
}

function listSource(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

function read(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}
