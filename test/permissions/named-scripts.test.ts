import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { listNamedScripts } from '../../src/places/named-scripts.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';

/** The scripts that a command of a hook, a gate or the like names in a project. */
function listScripts(command: string): string[] {
  const top = resolveRealPath(temporaryDirectory().path);
  mkdirSync(join(top, 'src'));
  for (const path of ['go.sh', 'src/cli.py', 'src/__main__.py', 'src/lib.sh'])
    writeFileSync(join(top, path), '');
  const scripts = listNamedScripts({ command, directories: [top], userHome: '/nowhere' });
  return scripts.map((path) => relative(top, path)).sort();
}

test.each([
  'grep -q main src/cli.py',
  'grep -q "a | b" src/cli.py',
  "! grep -rn 'TO;DO' src/cli.py",
  'grep -q main src/cli.py >/dev/null 2>&1',
  'cat src/cli.py | grep -c main | grep -q 3',
  'test -f src/cli.py; [ -s src/cli.py ]',
  'python3 -m compileall -q src',
  'python3 -m py_compile src/cli.py',
  'python3 -B -m pytest src',
  'bash -n src/lib.sh',
  'node --check src/cli.py',
  'if grep -q main src/cli.py; then npm test; fi',
  'npm test && wc -l src/cli.py',
])('a command that only looks at files runs none of them: %s', (command) => {
  expect(listScripts(command)).toEqual([]);
});

test.each([
  ['grep -q main src/cli.py && ./go.sh', ['go.sh']],
  ['cat src/lib.sh | sh', ['src/lib.sh']],
  ['cat src/lib.sh |& sh', ['src/lib.sh']],
  ['sh <(cat src/lib.sh)', ['src/lib.sh']],
  ['eval "$(cat src/lib.sh)"', ['src/lib.sh']],
  ['cat src/lib.sh > x; sh x', ['src/lib.sh']],
  ['cat src/lib.sh & ./go.sh', ['go.sh', 'src/lib.sh']],
  ['sh -n src/lib.sh && sh src/lib.sh', ['src/lib.sh']],
  ['grep() { sh "$2"; }; grep x src/lib.sh', ['src/lib.sh']],
  ['greps x src/lib.sh', ['src/lib.sh']],
  ["grep 'x src/cli.py && src/lib.sh", ['src/cli.py', 'src/lib.sh']],
  ['python3 src', ['src/__main__.py']],
  ['python3 -W -m src', ['src/__main__.py']],
  ['python3 -m pytest src; python3 src', ['src/__main__.py']],
  ['python3 -m pytest src/cli.py', ['src/cli.py']],
] as const)('a command that may run a file names it: %s', (command, scripts) => {
  expect(listScripts(command)).toEqual([...scripts]);
});

test('a search path of its own makes any name a program in it', () => {
  expect(listScripts('PATH=src; lib.sh x; grep -q x src/cli.py')).toContain('src/cli.py');
});

test.each([
  ['S=./go.sh; bash $S', 'go.sh'],
  ['test -x go.sh/bin/check.sh && go.sh/bin/check.sh', 'go.sh/bin/check.sh'],
] as const)(
  'a file where a directory on the way to a script would be stops nothing: %s',
  (command, script) => {
    expect(listScripts(command)).toContain(script);
  },
);
