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
