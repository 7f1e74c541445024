import { expect } from 'bun:test';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';

const gitTest = needs('git');
const script = join(import.meta.dirname, 'planted.script.ts');

/** In a process of its own, which a read that waits would hold for ever. */
function decide(root: string, command: string): string {
  const end = spawnSync(process.execPath, [script, root, command], { encoding: 'utf8', timeout: 20_000 });
  return end.error ? 'no decision' : `${end.stdout}${end.stderr}`.trim();
}

function openGround() {
  const root = join(resolveRealPath(temporaryDirectory().path), 'repo');
  mkdirSync(root);
  writeFileSync(join(root, 'a.txt'), 'one\n');
  writeFileSync(join(root, '.env'), 'KEY=1\n');
  execFileSync('git', ['init', '-q'], { cwd: root });
  execFileSync('git', ['add', 'a.txt'], { cwd: root });
  return root;
}

const plants: Readonly<Record<string, (path: string) => void>> = {
  'a named pipe': (path) => void execFileSync('mkfifo', [path]),
  'a link to a terminal': (path) => symlinkSync('/dev/ptmx', path),
  'a link to an endless device': (path) => symlinkSync('/dev/zero', path),
};

/** Where it is planted, and a line that has that file read. */
const places: readonly (readonly [file: string, command: string])[] = [
  ['.git/index', 'git status'],
  ['.git/index', 'git grep --cached -e KEY'],
  ['.git/config', 'git status'],
  ['.git/packed-refs', 'git show HEAD:a.txt'],
  ['.git/commondir', 'git status'],
  ['.git/objects/info/alternates', 'git status'],
  ['.gitmodules', 'git status'],
];

for (const [kind, plant] of Object.entries(plants))
  for (const [file, command] of places)
    gitTest(`a decision about ${command} does not wait where ${file} is ${kind}`, () => {
      const root = openGround();
      rmSync(join(root, file), { force: true });
      mkdirSync(dirname(join(root, file)), { recursive: true });
      plant(join(root, file));
      expect(decide(root, command)).toMatch(/^ask (?:ask|deny)$/);
    });

for (const file of ['.gitignore', '.ignore', '.rgignore', 'deep/.fdignore'])
  gitTest(`where ${file} is a named pipe it may bring back any hidden name`, () => {
    const root = openGround();
    mkdirSync(join(root, 'deep'));
    execFileSync('mkfifo', [join(root, file)]);
    expect(decide(root, 'rg KEY .')).toMatch(/ (?:ask|deny)$/);
    rmSync(join(root, file));
    expect(decide(root, 'rg KEY .')).toBe('allow allow');
  });
