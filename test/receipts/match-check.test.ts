import { expect, test } from 'bun:test';
import type { Claim } from '../../src/protocol/index.ts';
import { changed, command, judge } from './ground.ts';

const cwd = '/work';
const claim = (call: string, expect = 'tests passed'): Claim => ({ kind: 'check', call, expect });

const same: Record<string, string[]> = {
  'npm test': [
    ...['npm test', ' npm  test ', 'npm t', 'npm run test', 'npm run-script test', 'npm test --silent'],
    ...['npm run -s test', 'npm --silent test', 'CI=1 npm test', 'CI=true NO_COLOR=1 npm test 2>&1'],
    ...[
      'time npm test',
      'timeout 60 npm test',
      'timeout 5m npm test',
      'npm test && echo ok',
      'cd . && npm test',
    ],
    ...['npm run lint && npm test', 'npm test && npm run lint', 'cd a && cd .. && npm t 2>&1 && echo done'],
  ],
  'pnpm run unit': ['pnpm unit', 'pnpm run unit'],
  'yarn test': ['yarn run test'],
  pytest: [
    ...[
      'pytest -q',
      'pytest -vv',
      'pytest -x -q --tb=short',
      'pytest --tb short',
      'python -m pytest',
      'py.test',
    ],
    ...[
      'python3 -m pytest -q --no-header',
      'pytest -rA --color=no',
      'pytest -n auto',
      'pytest -n 4 -p no:cacheprovider',
    ],
  ],
  'uv run pytest': ['uv run pytest -q', 'uv run python -m pytest'],
  'cargo test': [
    'cargo test -q',
    'cargo test --workspace --locked',
    'cargo test -- --nocapture',
    'RUST_BACKTRACE=1 cargo test -j 2',
  ],
  'cargo clippy --all-targets -- -D warnings': ['cargo clippy -q --all-targets -- -D warnings'],
  'go test ./...': ['go test -v ./...', 'go test ./... -count=1 -race', 'go test -timeout 30s ./...'],
  'make test': ['make -s test', 'make -j4 test', 'make test -j 4', 'make --no-print-directory test'],
  'ruff check': ['ruff check .', 'ruff check --output-format concise'],
  './gradlew test': ['./gradlew test --console=plain -q'],
};

const other: Record<string, string[]> = {
  'npm test': [
    ...[
      'npm test || true',
      'npm test; true',
      'npm test | cat',
      'npm test &',
      '! npm test',
      'npm test\ntrue',
      'npm test -- a.test.js',
    ],
    ...[
      'npm(){ :; } && npm test',
      'alias npm=true && npm test',
      'export PATH=bin && npm test',
      'exit 0 && npm test',
    ],
    ...[
      '. ./env && npm test',
      'true && npm test',
      'PATH=bin npm test',
      'NODE_OPTIONS=--test-only npm test',
      'npm run test:unit',
    ],
    ...[
      'npm --prefix o test',
      'npm test -w one',
      'npm test --if-present',
      'npm test --help',
      'npm test --ignore-scripts',
      'cd o && npm test',
    ],
    ...[
      'echo npm test',
      'echo $(npm test)',
      'npm test && ',
      'timeout 60 true npm test',
      'cd .. && cd work2 && npm test',
    ],
  ],
  'yarn test': ['yarn test --silent'],
  pytest: [
    ...[
      'pytest -k none',
      'pytest tests/one.py',
      'pytest --collect-only',
      'pytest -q --co',
      'pytest -m slow',
      'pytest --lf',
    ],
    ...[
      'pytest -c other.ini',
      'pytest -p plugin',
      'pytest -o addopts=--co',
      'PYTHONPATH=x pytest',
      'python -m pytest tests',
    ],
  ],
  'cargo test': [
    'cargo test --lib',
    'cargo test one',
    'cargo test --no-run',
    'cargo test -- one',
    'cargo test --release',
  ],
  'go test ./...': ['go test .', 'go test ./... -run X', 'go vet ./...'],
  'make test': [
    'make -n test',
    'make -i test',
    'make -q test',
    'make -C other test',
    'make -f other test',
    'make test SHELL=true',
    'make -j test2',
  ],
  './gradlew test': ['./gradlew test -x test', './gradlew test --dry-run', './gradlew -m test'],
  'mvn test': ['mvn test -DskipTests'],
};

const known = (own: string) => ({ tests: [{ command: own, cwd }], lint: [{ command: 'npm run lint', cwd }] });

for (const [own, lines] of Object.entries(same))
  for (const line of lines)
    test(`HO8: ${JSON.stringify(line)} is the check ${own}`, () =>
      expect(judge(command('c1', line, 0), claim('c1'), known(own))?.verdict).toBe('confirmed'));

for (const [own, lines] of Object.entries(other))
  for (const line of lines)
    test(`G12: ${JSON.stringify(line)} is not the check ${own}`, () =>
      expect(judge(command('c1', line, 0), claim('c1'), known(own))?.verdict).toBe('unsupported'));

test('HO8: the reason names the command that is the check', () => {
  expect(judge(command('c1', 'pytest -k one', 0), claim('c1'), known('pytest'))?.reason).toBe(
    '"pytest -k one" in /work is not known as the project\'s check, which is "pytest" in /work.',
  );
});

test('G12: which of several checks in a line failed is not known', () => {
  const failed = command('c1', 'npm run lint && npm test', 1);
  for (const expected of ['tests failed', 'tests passed', 'lint failed'])
    expect(judge(failed, claim('c1', expected), known('npm test'))?.verdict).toBe('unsupported');
  expect(judge(command('c1', 'npm test && echo ok', 1), claim('c1', 'tests failed'))?.verdict).toBe(
    'confirmed',
  );
});

test('G12: a failed run of several checks takes back that one of them passed', () => {
  const records = [...command('c1', 'npm test', 0), ...command('c2', 'npm run lint && npm test', 1)];
  expect(judge(records, claim('c1'), known('npm test'))?.verdict).toBe('contradicted');
});

test('G12: what changed while a check ran beside a command in the background is not what it saw', () => {
  const background = { run_in_background: true };
  const [begun] = command('b1', 'sleep 5; echo 2 > a.ts', 0, '', cwd, background);
  const [asks, ends] = command('c1', 'npm test', 0);
  const change = { ...changed('/work/a.ts', 'x', 'y', 'c1'), cause: 'shell' as const };
  if (!begun || !asks || !ends) throw new Error('expected records');
  expect(judge([begun, asks, change, ends], claim('c1'))).toMatchObject({
    verdict: 'unsupported',
    reason: '/work/a.ts was changed while it ran, beside another command.',
  });
  expect(judge([begun, asks, ends], claim('c1'))?.verdict).toBe('confirmed');
  // A check's own files are its own.
  expect(judge([asks, change, ends], claim('c1'))?.verdict).toBe('confirmed');
  const earlier = command('b1', 'sleep 1', 0, '', cwd, background);
  const later = command('c1', 'npm test', 0);
  const own = { ...changed('/work/a.ts', 'x', 'y', 'c1'), cause: 'shell' as const };
  expect(judge([...earlier, ...later, own], claim('c1'))?.verdict).toBe('confirmed');
});
