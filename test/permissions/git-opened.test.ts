import { expect } from 'bun:test';
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs } from '../support/index.ts';
import { type Case, judge } from './cases.ts';
import { openGitGround } from './git-ground.ts';

const gitTest = needs('git');
const refusing = { deny: ['Read(.env)'] };

/** A repository, a home with these settings, and a private file beside both. */
function openGround(settings = '', files: Readonly<Record<string, string>> = {}, below = '') {
  const ground = openGitGround({ 'a.txt': 'a\n', 'src/b.txt': 'b\n', ...files });
  const home = join(dirname(ground.root), 'home');
  mkdirSync(home);
  writeFileSync(join(home, '.gitconfig'), settings);
  const secret = join(dirname(ground.root), 'private.conf');
  writeFileSync(secret, 'TOKEN=1\n');
  const root = join(ground.root, below);
  const look = lookAtFiles([root], undefined, { ...ground.env, HOME: home });
  const workspace = { cwd: root, directories: [], userHome: home, realPath: resolveRealPath, look };
  return {
    ...{ ...ground, home, secret },
    link: (name: string, to = '../private.conf') => symlinkSync(to, join(ground.root, name)),
    config: (text: string) => ground.run(`cat >> .git/config <<'E'\n${text}\nE`),
    run: (line: string) => ground.run(line, { HOME: home }),
    judge(command: string, rules: Pick<Case, 'deny' | 'allow'> = {}): string {
      const one: Case = { accesses: [{ kind: 'shell', command, cwd: root }], workspace, ...rules };
      return `${judge(one).behaviour} ${judge({ ...one, role: exploreRole }).behaviour}`;
    },
  };
}

const usual = `
[user]
	name = A
[core]
	editor = vim
	excludesFile = ~/.gitignore_global
	attributesFile = ~/.gitattributes
	pager = less -R
[alias]
	st = status
	lg = !git log --oneline
[blame]
	ignoreRevsFile = .git-blame-ignore-revs
[commit]
	template = ~/.gitmessage
[include]
	path = ~/.gitconfig.local
[filter "lfs"]
	clean = git-lfs clean -- %f
	required = true
[init]
	defaultBranch = main
`;

const everyday = [
  ...[
    'git status',
    'git log -p',
    'git diff',
    'git show',
    'git blame a.txt',
    'git branch -a',
    'git stash list',
    'git remote -v',
  ],
  ...[
    'git rev-parse HEAD',
    'git ls-files',
    'git grep a',
    'git shortlog -sn HEAD',
    'git describe --always',
    'git tag',
    'git fsck',
  ],
  ...[
    'git config --get user.name',
    'git worktree list',
    'git check-ignore -v a.txt',
    'git check-attr -a a.txt',
    'git log --format=%aN',
  ],
];

gitTest('with the usual settings of a user everyday lines are free, for Explore too', () => {
  const ground = openGround(usual, {
    '.git-blame-ignore-revs': '',
    '.gitignore': 'x\n',
    '.gitattributes': '* text\n',
  });
  writeFileSync(join(ground.home, '.gitignore_global'), '*.log\n');
  writeFileSync(join(ground.home, '.gitconfig.local'), '[user]\n\temail = a@b\n');
  for (const line of everyday) expect([line, ground.judge(line)]).toEqual([line, 'allow allow']);
  for (const line of everyday) expect([line, ground.judge(line, refusing)]).toEqual([line, 'allow allow']);
});

gitTest('where the workspace is a part of the repository they are as well', () => {
  const ground = openGround(
    usual,
    { '.git-blame-ignore-revs': '', '.gitignore': 'x\n', 'src/a.txt': 'a\n' },
    'src',
  );
  for (const line of everyday) expect([line, ground.judge(line)]).toEqual([line, 'allow allow']);
});

gitTest("a file that the user's settings name may be a link of the repository", () => {
  const cases = {
    'blame.ignoreRevsFile': 'git blame a.txt',
    'core.excludesFile': 'git check-ignore -v --no-index a.txt',
    'core.attributesFile': 'git check-attr -a a.txt',
    'mailmap.file': 'git log -1 --format=%aN',
    'fsck.skipList': 'git fsck',
  };
  for (const [key, line] of Object.entries(cases)) {
    const ground = openGround();
    writeFileSync(ground.secret, 'TOKEN <a@b>\na.txt\n* TOKEN=TOKEN\n');
    ground.run(`git config --global ${key} .named`);
    ground.put('.named', '');
    expect([key, ground.judge(line)]).toEqual([key, 'allow allow']);
    rmSync(join(ground.root, '.named'));
    ground.link('.named');
    expect([key, /TOKEN|private|\.named/.test(ground.run(line))]).toEqual([key, true]);
    expect([key, ground.judge(line)]).toEqual([key, 'ask ask']);
    expect([key, ground.judge(`cd src && ${line.replace('a.txt', 'b.txt')}`)]).toEqual([key, 'ask ask']);
    expect([key, ground.judge(`git -C src ${line.slice(4).replace('a.txt', 'b.txt')}`)]).toEqual([
      key,
      'ask ask',
    ]);
  }
});

gitTest("a file that the repository's own settings name is read whatever is set later", () => {
  for (const [key, line] of [
    ['blame.ignoreRevsFile', 'git blame a.txt'],
    ['fsck.skipList', 'git fsck'],
  ] as const) {
    const ground = openGround();
    ground.put('.skip', '');
    ground.run(`git config ${key} .skip`);
    expect([key, ground.judge(line)]).toEqual([key, 'allow allow']);
    ground.run(`git config ${key} ${ground.secret}`);
    expect([key, ground.run(line).includes('TOKEN')]).toEqual([key, true]);
    expect([key, ground.judge(line)]).toEqual([key, 'ask ask']);
    ground.run(`git config ${key} .skip && rm .skip`);
    ground.link('.skip');
    expect([key, ground.run(line).includes('TOKEN')]).toEqual([key, true]);
    expect([key, ground.judge(line)]).toEqual([key, 'ask ask']);
    expect([key, ground.judge('git status')]).toEqual([key, 'allow allow']);
  }
});

gitTest("a name in the repository's settings that begins elsewhere is asked about", () => {
  for (const name of ['%(prefix)/../etc/hostname', '~root/x', '~/x', ':(optional)/etc/hostname']) {
    const ground = openGround();
    ground.config(`[blame]\n\tignoreRevsFile = ${name}\n[fsck]\n\tskipList = ${name}`);
    for (const line of ['git blame a.txt', 'git fsck'])
      expect(`${name} ${line}: ${ground.judge(line)}`).toStartWith(`${name} ${line}: ask `);
    expect(ground.judge('git status')).toBe('allow allow');
  }
});

gitTest('a rule about a file holds where a setting names it', () => {
  for (const [key, line] of [
    ['blame.ignoreRevsFile', 'git blame a.txt'],
    ['fsck.skipList', 'git fsck'],
    ['include.path', 'git status'],
    ['include.path', 'git remote -v'],
    ['include.path', 'git config user.name'],
  ] as const) {
    const ground = openGround();
    ground.put('.env', 'TOKEN=1\n');
    ground.run(`git config ${key} ${key === 'include.path' ? '../.env' : '.env'}`);
    expect([key, ground.judge(line, refusing)]).toEqual([key, 'deny deny']);
    expect([key, ground.judge(line, { ...refusing, allow: ['Bash(git:*)'] })]).toEqual([key, 'deny deny']);
    // It may hold credentials.
    expect([key, ground.judge(line)]).toEqual([key, 'ask deny']);
  }
});

gitTest("a file that git reads by its name may be another's", () => {
  for (const [name, line, text] of [
    ['.gitattributes', 'git check-attr -a a.txt', '* TOKEN=TOKEN\n'],
    ['.gitignore', 'git check-ignore -v --no-index a.txt', '*.txt\n'],
    ['src/.gitattributes', 'git check-attr -a src/b.txt', '* TOKEN=TOKEN\n'],
    ['src/.gitignore', 'git check-ignore -v --no-index src/b.txt', '*.txt\n'],
    ['.mailmap', 'git log -1 --format=%aN', 'TOKEN <a@b>\n'],
    ['.gitattributes', 'git diff', 'TOKEN= TOKEN%\n'],
  ] as const) {
    const ground = openGround();
    ground.put('.env', text);
    linkSync(join(ground.root, '.env'), join(ground.root, name));
    expect([line, ground.judge(line, refusing)]).toEqual([line, 'deny deny']);
    rmSync(join(ground.root, name));
    ground.link(name, name.startsWith('src/') ? '../../private.conf' : '../private.conf');
    expect([line, ground.judge(line)]).toEqual([line, 'ask ask']);
    rmSync(join(ground.root, name));
    ground.put(name, text);
    expect([line, ground.judge(line, refusing)]).toEqual([line, 'allow allow']);
  }
});

gitTest('a rule about a directory holds for what git prints of the files in it', () => {
  const ground = openGround('', { 'secret/.gitattributes': '* TOKEN=TOKEN\n', 'secret/x': '' });
  const deny = { deny: ['Read(secret/**)'] };
  expect(ground.run('git check-attr -a secret/x')).toContain('TOKEN');
  expect(ground.judge('git check-attr -a secret/x', deny)).toBe('deny deny');
  expect(ground.judge('git check-attr -a s*/x', deny)).toBe('deny deny');
  expect(ground.judge('git check-attr -a "$(echo secret/x)"', deny)).toMatch(/^(?:ask|deny) deny$/);
  expect(ground.judge('git check-attr -a a.txt', deny)).toBe('allow allow');
  expect(ground.judge('git status', deny)).toBe('allow allow');
});

gitTest('attributes that git does not keep are read beside every file that it compares', () => {
  const ground = openGround();
  ground.put('.env', 'x @TOKEN\n');
  linkSync(join(ground.root, '.env'), join(ground.root, 'src/.gitattributes'));
  ground.put('src/b.txt', 'changed\n');
  for (const line of ['git diff', 'git grep b', 'git show HEAD', 'git diff HEAD -- .', 'git -C src grep b']) {
    expect([line, ground.run(line)]).toEqual([line, expect.stringContaining('@TOKEN')]);
    expect([line, ground.judge(line, refusing)]).toEqual([line, 'deny deny']);
  }
  rmSync(join(ground.root, 'src/.gitattributes'));
  ground.put('src/.gitattributes', '*.txt text\n');
  for (const line of ['git diff', 'git grep b', 'git status'])
    expect([line, ground.judge(line, refusing)]).toEqual([line, 'allow allow']);
});
