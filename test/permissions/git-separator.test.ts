import { expect, test } from 'bun:test';
import { literalWord } from '../../src/shell/grammar/types.ts';
import { grantedGit } from '../../src/shell/rules/granted-git.ts';
import { gitCommands } from '../../src/shell/tables/git.data.ts';
import { needs } from '../support/index.ts';
import { type GitGround, openGitGround } from './git-ground.ts';

const gitTest = needs('git');
const rules = { deny: ['Read(.env)'] };

gitTest('where git takes words behind -- for objects, they are judged as objects', () => {
  const ground = openRefused();
  const blob = ground.run('git rev-parse HEAD:.env').trim();
  for (const line of [
    'git stash show -p -- stash@{0}',
    'git stash show -p -- 0',
    'git stash show -p --stat -- 0',
    `git cat-file -p -- ${blob}`,
    `git cat-file -p -- ${blob.slice(0, 7)}`,
    `git cat-file blob -- ${blob}`,
    `git cat-file -- blob ${blob}`,
  ]) {
    expect([line, ground.run(line).includes('TOKEN')]).toEqual([line, true]);
    expect([line, ground.judge(line, rules)]).toEqual([line, 'ask deny']);
  }
});

gitTest('paths do not limit the changes that git status -v prints', () => {
  const ground = openRefused();
  for (const line of [
    'git status -v -- a.txt',
    'git status -vv -- a.txt',
    'git status -v a.txt',
    'git status --verbose -- a.txt',
  ]) {
    expect([line, ground.run(line).includes('TOKEN')]).toEqual([line, true]);
    expect([line, ground.judge(line, rules)]).toEqual([line, 'ask deny']);
  }
  expect(ground.judge('git status -- a.txt', rules)).toBe('allow allow');
});

gitTest('behind -- the word --no-index is a path, and so are the words beside it', () => {
  const ground = openRefused();
  for (const line of ['git diff HEAD -- --no-index :/', 'git diff --cached -- --no-index .']) {
    expect([line, ground.run(line).includes('TOKEN')]).toEqual([line, true]);
    expect([line, ground.judge(line, rules)]).toEqual([line, 'ask deny']);
  }
  expect(ground.judge('git diff --no-index -- a.txt b.txt', rules)).toBe('allow allow');
});

gitTest('git ls-tree lists the tree that is named behind --', () => {
  const ground = openGitGround({ 'a.txt': 'a\n', '.ssh/id_rsa': 'key\n' });
  expect(ground.run('git ls-tree -r -- HEAD')).toContain('.ssh/id_rsa');
  expect(ground.judge('git ls-tree -r -- HEAD')).toBe(ground.judge('git ls-tree -r HEAD'));
  expect(ground.judge('git ls-tree -r -- HEAD')).toBe('allow deny');
  for (const line of ['git ls-tree -r HEAD -- a.txt', 'git ls-tree -r -- HEAD a.txt'])
    expect([line, ground.judge(line)]).toEqual([line, 'allow allow']);
});

gitTest('paths behind -- limit what git shows, and then nothing is asked', () => {
  const ground = openRefused();
  for (const line of limited) {
    expect([line, ground.run(line).includes('TOKEN')]).toEqual([line, false]);
    expect([line, ground.judge(line, rules)]).toEqual([line, 'allow allow']);
  }
});

gitTest(
  'with no option does git show a refused file where other paths are named behind --',
  () => {
    const ground = openRefused();
    const lines = ['log -p', 'grep -e TOKEN', 'blame'].flatMap((start) =>
      (gitCommands[start.split(' ')[0] ?? '']?.flags ?? '')
        .split(' ')
        .map((flag) => ['git', start, ...spellFlag(flag), 'HEAD', '--', 'a.txt'].join(' ')),
    );
    const allowed = lines.filter((line) => ground.judge(line, rules).startsWith('allow'));
    expect(allowed.length).toBeGreaterThan(180);
    expect(printsOf(ground, allowed)).toEqual([]);
  },
  120_000,
);

test('every subcommand whose paths limit it is one of the tables', () => {
  for (const line of limited) expect(Object.hasOwn(gitCommands, line.split(' ')[1] ?? '')).toBe(true);
});

const limited = [
  'git log -p -- a.txt',
  'git log -p HEAD~1 -- a.txt',
  'git show -- a.txt',
  'git show HEAD -- a.txt',
  'git diff -- a.txt',
  'git diff HEAD -- a.txt',
  'git diff --cached -- a.txt',
  'git diff-tree -p HEAD -- a.txt',
  'git diff-index -p HEAD -- a.txt',
  'git diff-files -p -- a.txt',
  'git rev-list --objects HEAD -- a.txt',
  'git grep -e TOKEN -- a.txt',
  'git grep TOKEN HEAD -- a.txt',
  'git blame -- a.txt',
  'git annotate HEAD -- a.txt',
  'git ls-files -s -- a.txt',
];

/** The refused file is committed, changed by each commit, put away, staged and changed again. */
function openRefused(): GitGround {
  const ground = openGitGround({ '.env': 'TOKEN=1\n', 'a.txt': 'a\n', 'b.txt': 'a\n' });
  const change = (count: number) => {
    ground.put('.env', `TOKEN=${count}\n`);
    ground.put('a.txt', `a${count}\n`);
  };
  change(2);
  ground.run('git branch side && git commit -qam second');
  change(3);
  ground.run('git stash -q');
  change(4);
  ground.run('git add .');
  change(5);
  return ground;
}

const spellings: Readonly<Record<string, string>> = {
  '--diff-filter': 'AM',
  '--diff-algorithm': 'patience',
  '--date': 'iso',
  '--format': '%H',
  '-L': '1,1:a.txt',
};

function spellFlag(flag: string): string[] {
  const kind = /[:#?&<>]$/.exec(flag)?.[0];
  const name = kind ? flag.slice(0, -1) : flag;
  if (!kind || kind === '?') return [name];
  return [name, spellings[name] ?? (kind === '#' ? '1' : 'a')];
}

/** The lines that print what the file holds, found with one start of a shell. */
function printsOf(ground: GitGround, lines: readonly string[]): string[] {
  ground.put('../lines.txt', lines.join('\n'));
  const loop =
    'while IFS= read -r line; do eval "$line" 2>&1 </dev/null | grep -aq TOKEN= && echo "$line"; done';
  return ground
    .run(`${loop} < ../lines.txt`)
    .split('\n')
    .filter((line) => line !== '');
}

test('what a checkout takes files from is not a file', () => {
  const written = (line: string) => {
    const [, ...words] = line.split(' ').map(literalWord);
    const effect = grantedGit(words);
    return effect?.known ? effect.uses.map(({ word }) => word.text) : undefined;
  };
  expect(written('git checkout HEAD -- a.txt')).toEqual(['a.txt']);
  expect(written('git checkout -f HEAD -- .')).toEqual(['.']);
  expect(written('git checkout HEAD -- HEAD')).toEqual(['HEAD']);
  expect(written('git checkout -- HEAD')).toEqual(['HEAD']);
  expect(written('git checkout HEAD a.txt')).toEqual(['HEAD', 'a.txt']);
  expect(written('git checkout HEAD x -- a.txt')).toEqual(['HEAD', 'x', 'a.txt']);
});
