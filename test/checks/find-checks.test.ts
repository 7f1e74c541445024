import { expect, test } from 'bun:test';
import { listCheckCommands } from '../../src/checks/check-findings.ts';
import { type CheckSettings, findChecks } from '../../src/checks/find-checks.ts';
import { memoryProjectFiles, systemProjectFiles } from '../../src/checks/project-files.ts';
import { isFound } from '../../src/checks/types.ts';
import { temporaryWorkspace } from '../../src/testing/index.ts';

/** The commands that are found below /p, by check. */
function find(files: Record<string, string>, cwd = '/p', settings?: CheckSettings) {
  const placed = Object.fromEntries(Object.entries(files).map(([path, text]) => [`/p/${path}`, text]));
  const found = findChecks({ cwd, root: '/p', listing: memoryProjectFiles(placed), settings });
  return Object.fromEntries(
    Object.values(found).flatMap((one) =>
      isFound(one) ? [[one.name, one.reporting?.command ?? one.command]] : [],
    ),
  );
}

const scripts = (given: Record<string, string>) => JSON.stringify({ scripts: given });

const projects: [string, Record<string, string>, Record<string, string>][] = [
  [
    'npm',
    {
      'package.json': scripts({ test: 'jest', lint: 'eslint .', typecheck: 'tsc --noEmit' }),
      'package-lock.json': '{}',
    },
    {
      types: 'npm run typecheck -- --pretty false',
      lint: 'npm run lint -- --format json',
      tests: 'npm test -- --json',
      security: 'npm audit --json',
    },
  ],
  [
    'pnpm',
    { 'package.json': scripts({ test: 'vitest run' }), 'pnpm-lock.yaml': '' },
    { tests: 'pnpm test -- --reporter=json', security: 'pnpm audit --json' },
  ],
  ['yarn', { 'package.json': scripts({ test: 'jest' }), 'yarn.lock': '' }, { tests: 'yarn test --json' }],
  [
    'bun',
    { 'package.json': scripts({ test: 'bun test', lint: 'biome check && echo ok' }), 'bun.lock': '' },
    { tests: 'bun run test', lint: 'bun run lint', security: 'bun audit' },
  ],
  [
    'deno',
    { 'deno.json': '{"tasks":{"test":"deno test -A"}}' },
    { types: 'deno check .', lint: 'deno lint --json', tests: 'deno task test' },
  ],
  [
    'cargo',
    { 'Cargo.toml': '', 'deny.toml': '' },
    {
      types: 'cargo check --all-targets --message-format json',
      lint: 'cargo clippy --all-targets --message-format json -- -D warnings',
      tests: 'cargo test',
      security: 'cargo deny check',
    },
  ],
  [
    'go',
    { 'go.mod': 'module m' },
    { types: 'go build ./...', lint: 'go vet ./...', tests: 'go test -json ./...' },
  ],
  [
    'python',
    { 'pyproject.toml': '[tool.mypy]\n[tool.ruff.lint]\n[tool.pytest.ini_options]\n', 'uv.lock': '' },
    {
      types: 'uv run mypy . --no-error-summary',
      lint: 'uv run ruff check --output-format json',
      tests: 'uv run pytest -q --junitxml=/dev/stdout',
    },
  ],
  [
    'make',
    { Makefile: 'CC := gcc\n.PHONY: test lint\ntest: build\n\tctest\nlint:\n\tlint\n' },
    { lint: 'make lint', tests: 'make test' },
  ],
  ['just', { justfile: 'test:\n  x\naudit:\n  y\n' }, { tests: 'just test', security: 'just audit' }],
  [
    'gradle',
    { 'build.gradle.kts': 'plugins { id("detekt") }', gradlew: '' },
    {
      types: './gradlew --console=plain -q testClasses',
      lint: './gradlew --console=plain -q detekt',
      tests: './gradlew --console=plain -q test',
    },
  ],
  ['maven', { 'pom.xml': '<project/>' }, { types: 'mvn -B -q test-compile', tests: 'mvn -B -q test' }],
  [
    'dotnet',
    { 'App.sln': '' },
    {
      types: 'dotnet build --nologo',
      lint: 'dotnet format --verify-no-changes',
      tests: 'dotnet test --nologo',
    },
  ],
];

for (const [name, files, expected] of projects)
  test(`HO7: the checks of a project with ${name}`, () => expect(find(files)).toEqual(expected));

test('HO7: nothing is guessed: a directory without such files has no checks, and each says so', () => {
  const found = findChecks({ cwd: '/p', root: '/p', listing: memoryProjectFiles({ '/p/a.txt': '' }) });
  expect(found.tests).toEqual({
    name: 'tests',
    missing: 'no file in /p names one; the setting checks.tests can',
  });
  expect(find({ 'package.json': scripts({ test: 'echo "Error: no test specified" && exit 1' }) })).toEqual(
    {},
  );
  expect(find({ 'package.json': '{"scripts": 7' })).toEqual({});
});

test('HO7: a package.json that is not JSON is named where a check is missing', () => {
  const listing = memoryProjectFiles({ '/p/package.json': '{"scripts": 7' });
  expect(findChecks({ cwd: '/p/a', root: '/p', listing }).tests).toEqual({
    name: 'tests',
    missing:
      '/p/package.json is not JSON, and no file from /p/a up to /p names one; the setting checks.tests can',
  });
});

test('HO7: in a monorepo the nearest directory counts, check by check', () => {
  const files = {
    'package.json': scripts({ test: 'jest', lint: 'eslint .' }),
    'pnpm-lock.yaml': '',
    'packages/a/package.json': scripts({ test: 'mocha' }),
  };
  expect(find(files, '/p/packages/a')).toEqual({
    tests: 'pnpm test -- --reporter json',
    lint: 'pnpm run lint -- --format json',
    security: 'pnpm audit --json',
  });
});

test('HO7: settings come first: a command, or false for none', () => {
  const files = { 'go.mod': '' };
  expect(find(files, '/p', { tests: './test.sh', lint: false })).toEqual({
    types: 'go build ./...',
    tests: './test.sh',
  });
});

test('HO8: what counts as a check in a claim is the plain command and the one with our flags', () => {
  const listing = memoryProjectFiles({ '/p/package.json': scripts({ test: 'jest' }) });
  const found = findChecks({ cwd: '/p', root: '/p', listing });
  expect(listCheckCommands(found)).toEqual({
    tests: [
      { command: 'npm test', cwd: '/p' },
      { command: 'npm test -- --json', cwd: '/p' },
    ],
  });
});

test('the files of a project in memory and on disk answer alike', async () => {
  await using workspace = await temporaryWorkspace({
    'package.json': scripts({ test: 'jest' }),
    'a/b.txt': 'b',
  });
  const { path } = workspace;
  const memory = memoryProjectFiles({
    [`${path}/package.json`]: scripts({ test: 'jest' }),
    [`${path}/a/b.txt`]: 'b',
  });
  for (const files of [memory, systemProjectFiles]) {
    expect([...files.names(path)].sort()).toEqual(['a', 'package.json']);
    expect(files.names(`${path}/none`)).toEqual([]);
    expect(files.read(`${path}/a/b.txt`)).toBe('b');
    expect(files.read(`${path}/a`)).toBeUndefined();
    expect(files.readSince(`${files.locate(path)}/a/b.txt`, 0)).toBe('b');
    expect(files.readSince(`${path}/none`, 0)).toBeUndefined();
  }
});
