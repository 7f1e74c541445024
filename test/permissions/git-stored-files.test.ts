import { expect } from 'bun:test';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fullRole, openCeiling } from '../../src/permissions/ceiling.ts';
import { readFilter } from '../../src/permissions/read-filter.ts';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs } from '../support/index.ts';
import { type Case, judge, rule, workspace as usual } from './cases.ts';
import { expectJudged, openGitGround } from './git-ground.ts';

const gitTest = needs('git');

/** A repository that keeps a file which is closed, and the file in which git keeps it. */
function openKept(file = '.env') {
  const ground = openGitGround({ [file]: 'KEY=hunter2\n', 'src/a.ts': 'text\n' });
  const id = ground.run(`git rev-parse HEAD:${file}`).trim();
  const object = `.git/objects/${id.slice(0, 2)}/${id.slice(2)}`;
  const workspace = {
    cwd: ground.root,
    directories: [],
    realPath: resolveRealPath,
    look: lookAtFiles([ground.root]),
  };
  const behaviour = (command: string, more: Partial<Case> = {}) =>
    judge({ accesses: [{ kind: 'shell', command, cwd: ground.root }], workspace, ...more }).behaviour;
  return { ...ground, object, workspace, behaviour };
}

function opening(object: string): string[] {
  return [
    `printf '\\x1f\\x8b\\x08\\x00\\x00\\x00\\x00\\x00' | cat - ${object} | gzip -dc`,
    ...[`cat ${object}`, `base64 < ${object}`, `xxd ${object}`, `cat ./${object}`, `cat .git/objects/??/*`],
    ...[
      'base64 .git/objects/pack/*.pack',
      'cat .git/objects/*/*',
      'grep -ra KEY .git',
      'grep -ra KEY .git/objects',
    ],
    ...['find .git -type f -exec cat {} +', 'find .git/objects -type f | xargs cat', 'rg -uuu KEY .git'],
    ...['cat .git/lfs/objects/ab/cd/x', 'cat .git/modules/s/objects/ab/x', 'cat .git/rebase-apply/patch'],
    ...[
      'cd .git && cat objects/*/*',
      'cd .git/objects && grep -ra x .',
      'diff -r .git src',
      'strings .git/index',
    ],
  ];
}

const free = [
  ...[
    'ls .git',
    'ls -R .git',
    'cat .git/HEAD',
    'cat .git/config',
    'du -sh .git',
    'find .git -name x',
    'rg pattern',
  ],
  ...[
    'cat .git/packed-refs',
    'cat .git/logs/HEAD',
    'cat .git/hooks/pre-commit.sample',
    'cat .git/info/exclude',
  ],
  ...[
    'ls -la .git/objects',
    'find .git -type f',
    'cat .git/refs/heads/main',
    'stat .git/index',
    'cat .git/ORIG_HEAD',
  ],
  ...[
    'grep -rn text src',
    "grep -rn --include='*.ts' text .",
    "find . -name '*.ts' | xargs cat",
    'wc -l src/*',
  ],
  ...["rg -g '*.ts' text", "rg -g 'src/**/*.ts' text", 'git ls-files src | xargs cat'],
];

gitTest('a file of git is an object of any name to a rule that refuses one', () => {
  const { object, behaviour, run } = openKept('conf/app.txt');
  const shown = run(
    `printf '\\x1f\\x8b\\x08\\x00\\x00\\x00\\x00\\x00' | cat - ${object} | gzip -dc 2>/dev/null`,
  );
  expect(shown).toContain('hunter2');
  for (const deny of [['Read(conf/**)'], ['Read(./conf/**)'], ['Read(app.txt)']])
    for (const mode of ['default', 'plan', 'acceptEdits', 'bypassPermissions'] as const)
      for (const line of opening(object))
        expect([line, deny[0], mode, behaviour(line, { deny, mode })]).toEqual([line, deny[0], mode, 'ask']);
  for (const line of opening(object))
    expect([line, behaviour(line, { ask: ['Read(conf/**)'] })]).toEqual([line, 'ask']);
});

gitTest('without a rule that could be about a file in the repository they are read like others', () => {
  const { object, behaviour } = openKept('conf/app.txt');
  for (const line of opening(object).filter((one) => !one.startsWith('diff')))
    for (const deny of [[], ['Read(~/.ssh/**)'], ['Read(//etc/x)'], ['Edit(conf/**)']])
      expect([line, deny[0], behaviour(line, { deny })]).toEqual([line, deny[0], 'allow']);
});

gitTest('a directory with a repository in it is searched with all that git keeps', () => {
  const { behaviour, run } = openKept('conf/app.txt');
  run('git rm -qr conf && git commit -qm gone');
  const lines = [
    ...[
      'grep -rna KEY .',
      'grep -r --binary-files=text KEY',
      'rg --hidden KEY',
      'rg -uu KEY',
      "rg --hidden -g '!.git' -g '*' KEY",
      "rg -g '!.git' -g '.git' -g 'x' -g '[0-9a-f]*' KEY",
      'find . -type f -exec cat {} +',
      'diff -r . ../x',
    ],
    ...[
      'find . -type f | xargs cat',
      'tar cf ../x.tar .',
      'tar cf x.tar .git',
      'zip -r x.zip .',
      'zip -r x.zip .git',
    ],
    ...[
      'cp -r . ../y',
      'cp -r .git/objects y',
      'cp -r .git y',
      'rsync -a . ../y',
      'rsync -a .git y',
      'tar cf x.tar .g*',
    ],
  ];
  const allow = ['tar', 'zip', 'cp', 'rsync'].map((one) => `Bash(${one}:*)`);
  for (const line of lines) {
    expect([line, behaviour(line, { allow, deny: ['Read(conf/**)'] })]).toEqual([line, 'ask']);
    const isFree = !/\.\.\/|cp -r|rsync/.test(line);
    if (isFree) expect([line, behaviour(line, { allow })]).toEqual([line, 'allow']);
  }
  const passing = [
    ...['grep -rn --exclude-dir=.git KEY .', 'tar cf x.tar --exclude=.git .', 'tar cf x.tar --exclude-vcs .'],
    ...[
      "find . -not -path '*/.git/*' -type f | xargs cat",
      'find . -name .git -prune -o -type f -print | xargs cat',
    ],
    ...[
      "rg --hidden -g '!.git' KEY",
      "rg -g '[0-9a-f]*' -g '.git' -g '!.git' KEY",
      'find . -path ./.git -prune -o -type f -exec cat {} +',
    ],
  ];
  for (const line of [...passing, ...free])
    expect([line, behaviour(line, { allow, deny: ['Read(conf/**)'] })]).toEqual([line, 'allow']);
  // Nothing of this rule was ever kept.
  expect(behaviour('grep -rna KEY .', { deny: ['Read(other.txt)'] })).toBe('allow');
});

gitTest('agents to whom credentials are closed read no files of git that may hold some', () => {
  const kept = openKept();
  expectJudged(kept, opening(kept.object), 'allow deny');
  const searches = ['find . -type f -exec cat {} +', 'grep -rna KEY .', 'rg --hidden KEY'];
  expectJudged(kept, searches, 'allow deny');
  kept.run('git rm -q .env && git commit -qm gone');
  expectJudged(kept, searches, 'allow deny');
  // Of what is compressed, grep prints no content unless it is told to.
  expectJudged(kept, [...free, 'grep -rn --exclude-dir=.git KEY .', 'grep -rn KEY .'], 'allow allow');
  kept.run('mkdir .git/rebase-apply && echo KEY > .git/rebase-apply/patch');
  expectJudged(kept, ['grep -rn KEY .'], 'allow deny');
  const never = openGitGround({ 'src/a.ts': 'text\n' });
  expectJudged(never, [...searches.slice(1), ...free], 'allow allow');
});

gitTest('links to the objects of git lead there', () => {
  const { root, behaviour, object } = openKept('conf/app.txt');
  mkdirSync(join(root, 'l'));
  symlinkSync(join(root, object), join(root, 'l/one'));
  symlinkSync('../.git/objects', join(root, 'l/all'));
  symlinkSync('../.git', join(root, 'l/git'));
  const lines = [
    ...[
      'cat l/one',
      'cat l/all/*/*',
      'grep -ra x l/all/',
      'grep -ra x l/git/',
      'grep -Ra x l',
      'cat l/git/objects/*/*',
    ],
    ...['cat l/*', 'rg -L --hidden x l'],
  ];
  for (const line of lines)
    expect([line, behaviour(line, { deny: ['Read(conf/**)'] })]).toEqual([line, 'ask']);
  expect(behaviour('cat l/git/HEAD', { deny: ['Read(conf/**)'] })).toBe('allow');
});

gitTest('tools read files of git as commands do', () => {
  const { root, object, workspace } = openKept('conf/app.txt');
  const of = (tool: string, path: string, more: Partial<Case> = {}) =>
    judge({ tool, accesses: [{ kind: 'read', path: join(root, path) }], workspace, ...more }).behaviour;
  const deny = ['Read(conf/**)'];
  expect([
    of('Read', object, { deny }),
    of('Grep', object, { deny }),
    of('Grep', '.git/objects', { deny }),
  ]).toEqual(['ask', 'ask', 'ask']);
  expect([
    of('Glob', '.git/objects', { deny }),
    of('Read', '.git/HEAD', { deny }),
    of('Read', object),
  ]).toEqual(['allow', 'allow', 'allow']);
  expect([
    of('Read', object, { role: exploreRole }),
    of('Read', '.git/config', { role: exploreRole }),
  ]).toEqual(['deny', 'allow']);
  const filter = (rules: string[], role = fullRole) =>
    readFilter(
      {
        ...{ ceiling: openCeiling, role, mode: 'default' as const },
        rules: rules.map((text) => rule(text, 'deny', root)),
        workspace: { ...usual, ...workspace },
      },
      'Grep',
    );
  const seen = (show: (path: string) => boolean) =>
    [object, '.git/HEAD', 'src/a.ts'].map((one) => show(join(root, one)));
  expect(seen(filter([]))).toEqual([true, true, true]);
  expect(seen(filter(deny))).toEqual([false, true, true]);
  expect(seen(filter([], exploreRole))).toEqual([false, true, true]);
});

gitTest('objects of a submodule are those of its own history', () => {
  const { root, run, behaviour } = openKept('conf/app.txt');
  run('git init -q ../sub && cd ../sub && mkdir conf && echo KEY > conf/x && git add . && git commit -qm a');
  run(
    'git -c protocol.file.allow=always submodule add -q ../sub sub && git rm -qr --cached conf && git commit -qm s',
  );
  expect(run('ls .git/modules/sub')).toContain('objects');
  expect(root).not.toBe('');
  expect(behaviour('grep -ra x .', { deny: ['Read(sub/conf/**)'] })).toBe('ask');
  expect(behaviour('cat .git/modules/sub/objects/*/*', { deny: ['Read(sub/conf/**)'] })).toBe('ask');
  expect(behaviour('cat .git/modules/sub/HEAD', { deny: ['Read(sub/conf/**)'] })).toBe('allow');
});
