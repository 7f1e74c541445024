import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fullRole, openCeiling } from '../../src/permissions/ceiling.ts';
import { readFilter } from '../../src/permissions/read-filter.ts';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { openRealPaths, resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

/** A workspace with files, beside a home with our own keys and a directory that is outside. */
function openGround(files: readonly string[], directories: readonly string[] = []) {
  const base = resolveRealPath(temporaryDirectory().path);
  const root = join(base, 'work');
  const userHome = join(base, 'home');
  const put = (path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'text\n');
  };
  for (const name of files) put(join(root, name));
  put(join(userHome, '.cadre/keys.json'));
  put(join(base, 'out/x.txt'));
  const workspace = {
    ...{ cwd: root, directories: directories.map((name) => join(base, name)), userHome },
    ...{ home: join(userHome, '.cadre'), realPath: resolveRealPath, openPaths: openRealPaths },
    look: lookAtFiles([root]),
  };
  const on = (command: string, more: Partial<Case> = {}) =>
    judge({ accesses: [{ kind: 'shell', command, cwd: root }], workspace, ...more }).behaviour;
  return { base, root, userHome, workspace, put, on };
}

const explore = { role: exploreRole };
const bypass = { mode: 'bypassPermissions' } as const;

function expectNone(on: (line: string) => string, lines: readonly string[], unwanted = 'allow') {
  for (const line of lines) expect([line, on(line) === unwanted]).toEqual([line, false]);
}

function expectAll(on: (line: string) => string, lines: readonly string[]) {
  for (const line of lines) expect([line, on(line)]).toEqual([line, 'allow']);
}

test('a link with the name of a credential file counts by where it leads', () => {
  const { root, userHome, on } = openGround(['a.txt']);
  symlinkSync(join(userHome, '.cadre/keys.json'), join(root, 'server.key'));
  const lines = ['grep -R sk- .', 'find . -type l -exec cat {} +', 'find . -type l | xargs cat'];
  for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const)
    for (const line of lines) expect([mode, line, on(line, { mode })]).toEqual([mode, line, 'deny']);
});

test('a directory behind a link with the name of a credential directory is outside', () => {
  const { root, on } = openGround(['a.txt']);
  symlinkSync('../out', join(root, '.aws'));
  expectNone(on, ['grep -R OUT .', 'ls -RLA', 'diff -r . .', 'grep -R --include="*.txt" OUT .']);
  expect(on('grep -r OUT .')).toBe('allow');
});

test('a link to a directory is followed whatever names a search is for', () => {
  const { root, on } = openGround(['a.txt', 'secrets/s.txt']);
  symlinkSync('../out', join(root, 'docs'));
  symlinkSync('secrets', join(root, 'inner'));
  expectNone(on, ['grep -R --include="*.txt" x .', 'find -L . -name "*.txt" -exec cat {} +']);
  const deny = { deny: ['Read(./inner)'] };
  expectNone((line) => on(line, deny), ['grep -R --include="*.txt" x .']);
  expectAll(on, ['grep -r --include="*.txt" x .', 'find . -name "*.txt" | xargs cat']);
});

test('a rule about a directory holds for a search by names', () => {
  const ground = openGround([
    'secrets/a.txt',
    'secrets/deep/b.txt',
    'b.txt',
    'src/c.txt',
    'node_modules/x/secrets/d.txt',
  ]);
  const lines = [
    'find . -name "*.txt" -exec cat {} +',
    'find . -name "*.txt" | xargs cat',
    'cat $(find . -name "*.txt")',
    'rg --files -g "*.txt" | xargs cat',
    'grep -r --include="*.txt" x .',
    'for f in $(find . -name "*.txt"); do cat "$f"; done',
  ];
  for (const rule of [
    'secrets',
    'secrets/',
    './secrets',
    'SECRETS',
    'secrets/deep',
    `/${ground.root}/secrets`,
  ])
    for (const more of [{}, explore])
      expectNone((line) => ground.on(line, { deny: [`Read(${rule})`], ...more }), lines);
  const other = { deny: ['Read(private)'] };
  expectAll((line) => ground.on(line, other), ['find src -name "*.txt" | xargs cat', ...lines.slice(0, 4)]);
  const below = { deny: ['Read(secrets)'] };
  expectAll(
    (line) => ground.on(line, below),
    ['cd src && find . -name "*.txt" | xargs cat', 'cat src/*.txt'],
  );
  expectNone((line) => ground.on(line, { deny: ['Read(x)'] }), ['find . -name "*.txt" | xargs cat']);
});

test('a command that searches by itself goes below every directory that a pattern or a search finds', () => {
  const { root, on } = openGround(['src/.env', 'src/deep/.env', 'src/a.ts', 'sub/b.md', 'priv/a.txt']);
  symlinkSync('../../out', join(root, 'sub/l'));
  const deny = { deny: ['Read(.env)'] };
  const searches = [
    'grep -r KEY s*',
    'find . -name src | xargs grep -r KEY',
    'find . -name deep -exec grep -r KEY {} +',
    'for d in $(find . -name src); do grep -r KEY "$d"; done',
    'ls | xargs grep -r KEY',
    'diff -r s* priv',
  ];
  for (const more of [deny, explore]) expectNone((line) => on(line, more), searches);
  expectNone(on, [
    'grep -R OUT s*',
    'ls -RL s*',
    'find . -name sub | xargs grep -R OUT',
    'find . -name l | xargs grep -r x',
  ]);
  expectNone((line) => on(line, { deny: ['Read(priv)'] }), ['cat **/*.txt', 'grep -r x p*']);
  const plain = ['find . -name "*.ts" | xargs grep -rn foo', 'find . -name "*.ts" -exec grep -rn foo {} +'];
  for (const more of [{}, deny, explore]) expectAll((line) => on(line, more), plain);
});

test('a link is met where a search begins deeper or in a hidden directory', () => {
  const { root, on } = openGround(['.hid/a.md', 'sub/b.md']);
  symlinkSync('../../out/x.txt', join(root, '.hid/l'));
  symlinkSync('../../out/x.txt', join(root, 'sub/l'));
  for (const more of [{}, explore])
    expectNone(
      (line) => on(line, more),
      ['ls -d sub/l | xargs cat', 'fd . .hid | xargs cat', 'cat $(ls -1 .hid/l)'],
    );
});

test('every search in the words of a loop is judged', () => {
  const { on } = openGround(['.env', 'a.md']);
  const deny = { deny: ['Read(.env)'] };
  const searches = ['$(find . -name .env)', '$(find . -name "*.md")'];
  for (const words of [searches, [...searches].reverse()])
    for (const line of [`for f in ${words.join(' ')}; do cat "$f"; done`, `cat ${words.join(' ')}`])
      expectNone((one) => on(one, deny), [line]);
});

test('all that is in a credential directory is closed to Explore, by whatever name it is found', () => {
  const { on } = openGround(['.ssh/known_hosts', '.aws/credentials', '.aws/deep/x.txt', 'b.md']);
  const closed = [
    'find . -name known_hosts | xargs cat',
    'find . -name credentials -exec cat {} +',
    'grep -r --include="*.txt" S .',
    'rg --hidden -g "*.txt" S',
    'cat $(find . -name x.txt)',
  ];
  expectNone((line) => on(line, explore), closed);
  expectAll(
    (line) => on(line, explore),
    ['find . -name "*.md" | xargs cat', 'rg x', 'grep -r --include="*.md" x .'],
  );
});

test('links in a directory with the name of a credential file are seen', () => {
  const { root, on } = openGround(['.env/lib/a.py']);
  symlinkSync('/usr/bin/env', join(root, '.env/lib/python'));
  expectNone(on, ['grep -R x .']);
  expectAll(on, ['grep -r x .']);
});

test('in a workspace too large to look through another name of a credential file is not ruled out', () => {
  const { root, on, workspace } = openGround(['.env', 'docs/a.md', 'big/0', 'plain/b.md']);
  linkSync(join(root, '.env'), join(root, 'docs/notes.md'));
  execFileSync('sh', ['-c', 'seq 1 30100 | xargs touch'], { cwd: join(root, 'big') });
  expectNone((line) => on(line, explore), ['grep -r KEY docs', 'cat docs/notes.md', 'rg KEY docs']);
  expectAll((line) => on(line, explore), ['cat docs/a.md', 'cat plain/b.md']);
  const read = (path: string, more: Partial<Case> = {}) =>
    judge({ accesses: [{ kind: 'read', path: join(root, path) }], workspace, ...more }).behaviour;
  expect([read('docs/notes.md'), read('docs/a.md')]).toEqual(['ask', 'allow']);
  const denied = { deny: ['Read(private.txt)'], ...bypass };
  expect([read('docs/notes.md', denied), read('docs/a.md', denied)]).toEqual(['ask', 'allow']);
});

test('where it cannot be told whether our own keys are met, somebody is asked', () => {
  const { root, userHome, on } = openGround(['a.txt', 'many/0', 'few/0']);
  symlinkSync(join(userHome, '.cadre/keys.json'), join(root, 'many/zz'));
  execFileSync('sh', ['-c', 'seq 1 5100 | xargs touch'], { cwd: join(root, 'many') });
  expectNone((line) => on(line, bypass), ['cat many/*', 'head many/*', 'grep -R sk- .', 'grep -R sk- many']);
  execFileSync('sh', ['-c', 'seq 5101 30100 | xargs touch'], { cwd: join(root, 'many') });
  expectNone((line) => on(line, bypass), ['cat many/*', 'grep -R sk- .', 'find . -type l -exec cat {} +']);
  expectAll((line) => on(line, bypass), ['cat few/*', 'grep -R sk- few', 'grep -r sk- .']);
});

test('a look is not kept from one call to the next', () => {
  const { root, on, put } = openGround(['sub/a.txt', 'kept/a.txt']);
  expect([on('grep -R O sub'), on('rm -r kept', { mode: 'acceptEdits' })]).toEqual(['allow', 'allow']);
  symlinkSync('../../out/x.txt', join(root, 'sub/l'));
  put(join(root, 'kept/.vscode/tasks.json'));
  expectNone(on, ['grep -R O sub']);
  expectNone((line) => on(line, { mode: 'acceptEdits' }), ['rm -r kept']);
  expect(on('cat sub/a.txt', explore)).toBe('allow');
  put(join(root, '.env'));
  linkSync(join(root, '.env'), join(root, 'sub/note.md'));
  expectNone((line) => on(line, explore), ['cat sub/note.md', 'grep -r x sub']);
});

test('everyday searches stay free, with and without a rule', () => {
  const { root, on } = openGround([
    '.env',
    'src/a.ts',
    'src/deep/b.ts',
    'docs/c.md',
    'node_modules/p/index.js',
  ]);
  execFileSync('git', ['init', '-q'], { cwd: root });
  execFileSync('git', ['add', 'src', 'docs'], { cwd: root });
  const lines = [
    "find . -name '*.ts' | xargs wc -l",
    'ls -R',
    'git grep foo',
    "find src -name '*.ts' -exec grep foo {} +",
  ];
  const searches = [
    'grep -rn foo src',
    'rg foo',
    'rg --files | xargs wc -l',
    'cat src/*.ts',
    'diff -r src docs',
  ];
  for (const more of [{}, explore]) expectAll((line) => on(line, more), [...lines, ...searches]);
  for (const more of [{}, explore]) expectAll((line) => on(line, { deny: ['Read(.env)'], ...more }), lines);
});

test('a search by a tool does not show our own keys where our directory is a link into the workspace', () => {
  const { root, userHome, workspace } = openGround(['state/keys.json', 'state/notes.md', 'a.txt']);
  rmSync(join(userHome, '.cadre'), { recursive: true });
  symlinkSync(join(root, 'state'), join(userHome, '.cadre'));
  symlinkSync('work', join(root, '../way'));
  const seen = { ceiling: openCeiling, role: fullRole, mode: 'default' as const, rules: [] };
  for (const cwd of [root, join(root, '../way')]) {
    const mayRead = readFilter({ ...seen, workspace: { ...workspace, cwd } });
    expect([mayRead(join(cwd, 'state/keys.json')), mayRead(join(cwd, 'a.txt'))]).toEqual([false, true]);
  }
});

test('ignore files that lead out are not opened by searches that heed them', () => {
  const lines = ['rg hello', 'rg hello src', 'fdfind', 'fdfind x src'];
  for (const name of ['.ignore', '.rgignore', 'src/.gitignore', 'src/deep/.ignore']) {
    const { root, on } = openGround(['a.txt', 'src/deep/b.txt']);
    expectAll(on, lines);
    symlinkSync(join(root, '../out/x.txt'), join(root, name));
    expectNone(on, name.startsWith('src/') ? lines : ['rg hello', 'fdfind']);
  }
  const { on, root } = openGround(['a.txt', '.env']);
  symlinkSync('.env', join(root, '.ignore'));
  expectNone((line) => on(line, explore), ['rg hello']);
});

test('our own keys behind a link are not met by a search with options that are not known', () => {
  const { root, userHome, on } = openGround(['a.txt']);
  symlinkSync(join(userHome, '.cadre/keys.json'), join(root, 'x.txt'));
  expectNone((line) => on(line, bypass), ['rg -L one', 'rg -uuL one', 'rg --follow one .']);
});
