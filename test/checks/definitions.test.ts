import { expect, test } from 'bun:test';
import { defineChecks, findRedefined } from '../../src/checks/definitions.ts';
import { findChecks } from '../../src/checks/find-checks.ts';
import { memoryProjectFiles } from '../../src/checks/project-files.ts';

/** What became of the checks of /p from one state of its files to the next. */
function compare(before: Record<string, string>, now: Record<string, string>) {
  const define = (files: Record<string, string>) => {
    const listing = memoryProjectFiles(
      Object.fromEntries(Object.entries(files).map(([path, text]) => [`/p/${path}`, text])),
    );
    return defineChecks(findChecks({ cwd: '/p', root: '/p', listing }), listing);
  };
  return findRedefined(define(before), define(now));
}

const pyproject = (options: string, dependencies = '') =>
  `[project]\nname = "a"\ndependencies = [${dependencies}]\n\n[tool.pytest.ini_options]\naddopts = "${options}"\n\n[tool.ruff]\nline-length = 90\n`;

test('G12: a table of the tool is part of its check, the dependencies beside it are not', () => {
  expect(compare({ 'pyproject.toml': pyproject('') }, { 'pyproject.toml': pyproject('', '"b"') })).toEqual(
    {},
  );
  expect(
    compare({ 'pyproject.toml': pyproject('') }, { 'pyproject.toml': pyproject('--collect-only') }),
  ).toEqual({ tests: '/p/pyproject.toml, which says what it does, was changed.' });
});

test('G12: a file that configures a runner is part of its check only', () => {
  const scripts = { 'package.json': '{"scripts": {"test": "jest", "lint": "eslint .", "typecheck": "tsc"}}' };
  const loose = { ...scripts, 'eslint.config.js': 'export default [];' };
  expect(compare({ ...scripts, 'eslint.config.js': 'export default [all];' }, loose)).toEqual({
    lint: '/p/eslint.config.js, which says what it does, was changed.',
  });
  expect(compare(scripts, { ...scripts, 'a.test.js': 'test()', 'README.md': 'x' })).toEqual({});
  expect(compare(scripts, { ...scripts, 'jest.config.ts': 'export default {};' })).toEqual({
    tests: '/p/jest.config.ts, which says what it does, was changed.',
  });
});

test('G12: a field of package.json that configures a runner is part of its check', () => {
  const manifest = (more: object) => JSON.stringify({ scripts: { test: 'jest' }, version: '1', ...more });
  expect(compare({ 'package.json': manifest({}) }, { 'package.json': manifest({ version: '2' }) })).toEqual(
    {},
  );
  expect(
    compare({ 'package.json': manifest({}) }, { 'package.json': manifest({ jest: { testRegex: 'none' } }) }),
  ).toEqual({ tests: '/p/package.json jest, which says what it does, was changed.' });
});

test('G12: a manifest that cannot be read names no check any longer', () => {
  expect(compare({ 'package.json': '{"scripts": {"test": "jest"}}' }, { 'package.json': '{' })).toEqual({
    tests: '/p/package.json scripts.test named it at first, and does no longer.',
  });
});

test('the audit of a lockfile is the same with other packages', () => {
  const manifest = { 'package.json': '{}' };
  expect(compare(manifest, { ...manifest, 'package-lock.json': '{}' })).toEqual({});
});

const makefile = `CC = cc
RUN ?= ./t
t: t.c
\t$(CC) -o t t.c
test: t unit
\t$(RUN) --all
unit:
\t./unit
.PHONY: test unit
`;

const edits: [what: string, from: string, to: string, isChange: boolean][] = [
  ['a file that it is built from', 't: t.c\n\t$(CC) -o t t.c', 't: t.c u.c\n\t$(CC) -o t t.c u.c', false],
  ['another target', '.PHONY', 'clean:\n\trm t\n.PHONY', false],
  ['a need', 'test: t unit', 'test: t unit u', false],
  ['its recipe', '--all', '--none', true],
  ['a need that only stands for others', './unit', 'true', true],
  ['a variable of its recipe', './t', 'true', true],
  ['a variable of another recipe', 'CC = cc', 'CC = gcc', false],
  ['the shell of all recipes', 'CC = cc', 'SHELL = /bin/true', true],
  ['a file that is included', 'CC = cc', 'CC = cc\n-include more.mk', true],
  ['its recipe in the line of its name', 'test: t unit\n\t$(RUN) --all', 'test: t unit ; true', true],
  ['a variable for it alone', 'test: t unit', 'test: RUN = true\ntest: t unit', true],
  ['a condition in it', '\t$(RUN) --all', 'ifdef FULL\n\t$(RUN) --all\nendif', true],
];

test.each(edits)('G12: of a makefile, %s', (_, from, to, isChange) => {
  expect(makefile).toContain(from);
  const now = compare({ Makefile: makefile }, { Makefile: makefile.replace(from, to) });
  expect(now).toEqual(isChange ? { tests: '/p/Makefile test, which says what it does, was changed.' } : {});
});

test('a makefile with a line of a million blanks is read at once', () => {
  const long = `${makefile}x${' '.repeat(1_000_000)}\n`;
  expect(compare({ Makefile: makefile }, { Makefile: long })).toEqual({});
});

test('G12: of a justfile, what a recipe runs and needs', () => {
  const justfile = 'run := "./t"\ntest: unit\n    {{run}} --all\nunit:\n    ./unit\n';
  const change = (from: string, to: string) =>
    Object.keys(compare({ justfile }, { justfile: justfile.replace(from, to) }));
  expect(change('./unit', 'true')).toEqual(['tests']);
  expect(change('"./t"', '"true"')).toEqual(['tests']);
  expect(change('run :=', 'deploy:\n    ./deploy\nrun :=')).toEqual([]);
});
