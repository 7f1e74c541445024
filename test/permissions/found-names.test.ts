import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

const gitTest = needs('git');

/** `private.dat` is refused by a rule, and not kept by git; `a.md` and `d/c.ts` are kept. */
function openGround(extra?: string) {
  const top = resolveRealPath(temporaryDirectory().path);
  const root = join(top, 'repo');
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  for (const name of ['a.md', 'src/b.ts', 'd/c.ts', 'd/x.md']) put(name, 'text\n');
  put('private.dat', 'hunter2\n');
  put('.gitignore', 'private.dat\n');
  const run = (command: string) => {
    const person = ['-c', 'user.name=a', '-c', 'user.email=a@b'].join(' ');
    const line = `git() { command git ${person} "$@"; }; ${command}`;
    const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent' };
    return spawnSync('bash', ['--norc', '-c', line], { cwd: root, env, encoding: 'utf8' }).stdout;
  };
  run('git init -q -b main; git add .; git commit -qm first');
  const directories = extra === undefined ? [] : [join(top, extra)];
  const place = { cwd: root, directories, realPath: resolveRealPath };
  return {
    ...{ top, root, put, run },
    replace(name: string, make: (target: string, path: string) => void) {
      rmSync(join(root, name), { force: true });
      make(join(root, 'private.dat'), join(root, name));
    },
    judge: (command: string, more: Partial<Case> = {}) =>
      judge({
        accesses: [{ kind: 'shell', command, cwd: root }],
        workspace: { ...place, look: lookAtFiles([root, ...directories]) },
        ...{ deny: ['Read(private.dat)'], ...more },
      }).behaviour,
  };
}

const searches = [
  'find . -name "*.md" -exec cat {} +',
  'find . -name "*.md" | xargs cat',
  'find . -name "*.md" | while IFS= read -r f; do cat "$f"; done',
  'find . -name a.md -exec head -n1 {} \\;',
  'git ls-files | xargs cat',
  'git ls-files "*.md" | xargs cat',
];
const gitSearches = [
  'git grep h',
  'git diff',
  'git diff HEAD',
  'git diff --word-diff',
  'git status -v',
  'git diff-files -p',
  'git diff-index -p HEAD',
];

gitTest('G9 a search does not come across a refused file under another of its names', () => {
  const ground = openGround();
  for (const line of searches) expect([line, ground.judge(line)]).toEqual([line, 'allow']);
  ground.replace('a.md', linkSync);
  expect(ground.run('find . -name "*.md" -exec cat {} +')).toContain('hunter2');
  for (const line of searches) expect([line, ground.judge(line)]).not.toEqual([line, 'allow']);
  ground.replace('a.md', symlinkSync);
  expect(ground.run('find . -name "*.md" -exec cat {} +')).toContain('hunter2');
  for (const line of searches) expect([line, ground.judge(line)]).not.toEqual([line, 'allow']);
  expect(ground.judge('find src -name "*.ts" -exec cat {} +')).toBe('allow');
});

gitTest('G9 git does not show a refused file under another of its names', () => {
  const ground = openGround();
  for (const line of gitSearches) expect([line, ground.judge(line)]).toEqual([line, 'allow']);
  ground.replace('a.md', linkSync);
  expect(ground.run('git diff')).toContain('hunter2');
  for (const line of gitSearches) expect([line, ground.judge(line)]).toEqual([line, 'ask']);
  for (const line of ['git diff -- src', 'git grep h -- src', 'git diff --stat'])
    expect([line, ground.judge(line)]).toEqual([line, 'allow']);
});

gitTest('G9 the other name may be in another directory of the workspace, or behind a link', () => {
  const ground = openGround('more');
  mkdirSync(join(ground.top, 'more'));
  rmSync(join(ground.root, 'private.dat'));
  writeFileSync(join(ground.top, 'more/private.dat'), 'hunter2\n');
  linkSync(join(ground.top, 'more/private.dat'), join(ground.root, 'src/e.md'));
  symlinkSync('src', join(ground.root, 'via'));
  for (const line of ['find src -name "*.md" -exec cat {} +', 'find via/ -name "*.md" -exec cat {} +'])
    expect([line, ground.judge(line)]).not.toEqual([line, 'allow']);
});

gitTest('names from the index are free where a rule is about none of them', () => {
  const ground = openGround();
  expect(ground.judge('git ls-files | xargs wc -l')).toBe('allow');
  expect(ground.judge('git ls-files | xargs wc -l', { deny: ['Read(.env)'] })).toBe('allow');
  expect(ground.judge('git ls-files | xargs wc -l', { deny: ['Read(d/**)'] })).toBe('ask');
  expect(ground.judge('git ls-files | xargs wc -l', { deny: ['Read(c.ts)'] })).toBe('ask');
});

/** Run in `src`, whose own files are harmless; what leads out is beside it. */
const climbing = [
  'cd src && find .. -maxdepth 1 -name a.md -exec cat {} \\;',
  'cd src && find .. -maxdepth 1 -type l -exec head -n1 {} +',
  'cd src && find ../ -name a.md -exec cat {} +',
  'cd src && find ../src/.. -name a.md -exec grep -h . {} /dev/null \\;',
  'cd src && find ../d .. -maxdepth 1 -name a.md -exec cat {} +',
  'cd src && find "$PWD"/.. -name a.md -exec cat {} +',
  'cd src && find ../a* -exec cat {} +',
  '(cd src && cd ../d && find .. -name a.md -exec cat {} +)',
  'bash -c "cd src && find .. -name a.md -exec cat {} +"',
  'd=..; cd src && find "$d" -name a.md -exec cat {} +',
];

gitTest('G9 what find hands to a command is below its starts, wherever the command itself runs', () => {
  const ground = openGround();
  const inRoot = [...climbing, `cd src && find ${ground.root} -name a.md -exec cat {} +`];
  for (const line of inRoot) expect([line, ground.judge(line, { deny: [] })]).toEqual([line, 'allow']);
  writeFileSync(join(ground.top, 'private.dat'), 'outside\n');
  ground.replace('a.md', (_, path) => symlinkSync('../private.dat', path));
  for (const line of inRoot) {
    if (line.includes('cat'))
      expect([line, ground.run(line)]).toEqual([line, expect.stringContaining('outside')]);
    for (const role of [undefined, exploreRole])
      expect([line, ground.judge(line, { deny: [], ...(role ? { role } : {}) })]).not.toEqual([
        line,
        'allow',
      ]);
  }
  // What leads out is not below these.
  for (const line of ['cd src && find . -name "*.ts" -exec cat {} +', 'find d src -type f -exec wc -l {} +'])
    expect([line, ground.judge(line)]).toEqual([line, 'allow']);
});

gitTest('G9 and by the name of a credential file, for whatever reads, writes or removes it', () => {
  const ground = openGround();
  for (const name of ['.env', '.vscode/tasks.json']) ground.put(name, 'text\n');
  const lines = [
    'cd src && find .. -name .env -exec cat {} +',
    'cd src && find ../ -maxdepth 1 -name .env -exec head {} \\;',
    'cd src && find .. -name .git -exec rm -r {} +',
    'cd src && find .. -maxdepth 0 -exec rm -r {} +',
    'cd src && find ../.vscode -name tasks.json -exec cp b.ts {} \\;',
  ];
  for (const line of lines)
    expect([line, ground.judge(line, { mode: 'acceptEdits' })]).toEqual([line, 'ask']);
  const denied: Partial<Case> = { deny: ['Read(.env)', 'Edit(.vscode/**)'], mode: 'bypassPermissions' };
  expect(ground.judge('cd src && find ../.vscode -name tasks.json -exec cp b.ts {} \\;', denied)).not.toBe(
    'allow',
  );
  expect(ground.judge('cd src && find .. -name .env -exec cat {} +', denied)).not.toBe('allow');
});
