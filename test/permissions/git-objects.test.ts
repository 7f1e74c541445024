import { expect } from 'bun:test';
import { neutralGitVariables } from '../../src/workspace/git/shell.ts';
import { needs } from '../support/index.ts';
import { expectJudged, type GitGround, openGitGround } from './git-ground.ts';

const gitTest = needs('git');

/** A repository that keeps `.env`, with one commit before it. */
function openGround() {
  const ground = openGitGround({ 'a.txt': 'text\n' });
  ground.put('.env', 'KEY=hunter2\n');
  ground.run('git add -f .env && git commit -qm second');
  return {
    ...ground,
    judge: (command: string) => ground.judge(command, { deny: ['Read(.env)'] }),
    blob: ground.run('git rev-parse HEAD:.env').trim(),
  };
}

function expectClosed(ground: GitGround, lines: readonly string[], leaks = lines): void {
  for (const line of leaks)
    expect([line, ground.run(line)]).toEqual([line, expect.stringContaining('hunter2')]);
  expectJudged(ground, lines, 'ask deny');
}

function expectFree(ground: GitGround, lines: readonly string[]): void {
  expectJudged(ground, lines, 'allow allow');
}

gitTest('G9 a format does not show the file that a reference names', () => {
  const ground = openGround();
  ground.run(`git tag file ${ground.blob}; git tag -a -m message note ${ground.blob}`);
  expectClosed(ground, [
    "git for-each-ref --format='%(raw)'",
    "git for-each-ref --format '%(*raw)'",
    "git for-each-ref --format='%(if)%(raw)%(then)%(raw)%(end)'",
    "git tag --format='%(*raw)'",
    "git tag -l --format='%(raw)'",
  ]);
  expectJudged(
    ground,
    ["git branch --format='%(raw:size)'", "git for-each-ref --format='%%(raw)'", 'git tag --sort=raw'],
    'ask deny',
  );
  expectFree(ground, [
    "git for-each-ref --format='%(refname:short) %(objectname:short) %(*objectname) 100%'",
    "git branch --format='%(if)%(HEAD)%(then)* %(end)%(refname:lstrip=2) %(upstream:track)'",
    "git tag -l --sort=-v:refname --format='%(tag) %(taggerdate:short) %(contents:subject)'",
    "git branch --sort=-committerdate --format='%(committerdate:relative) %(authorname) %(color:red)%(subject)'",
  ]);
});

gitTest('G9 a name that leads to a file is not shown, whatever else is', () => {
  const ground = openGround();
  ground.run(
    `git tag file ${ground.blob}; git tag -a -m message note ${ground.blob}; git tag tree HEAD^{tree}`,
  );
  expectClosed(ground, [
    ...[
      'git show file',
      'git show -s note',
      'git show --stat file',
      'git cat-file -p file',
      'git cat-file blob note',
    ],
    ...['git show --tags -s', 'git diff file a.txt', 'git grep KEY file', 'git grep KEY tree'],
    `git show -s ${ground.blob.slice(0, 8)}`,
  ]);
  expectFree(ground, [
    'git show -s main',
    'git show --stat HEAD',
    'git show --stat HEAD~1 main',
    'git log -3 --stat',
  ]);
});

gitTest('G9 a head that leads to a file is not shown', () => {
  const ground = openGround();
  expectFree(ground, ['git show --stat', 'git show -s @', 'git cat-file -p HEAD']);
  ground.put('.git/HEAD', `${ground.blob}\n`);
  const lines = [
    'git show --stat',
    'git show -s @',
    'git show',
    'git cat-file -p HEAD',
    'git diff HEAD -- a.txt',
  ];
  expectClosed(ground, lines);
});

gitTest('G9 notes may be files, so that commits are shown without them', () => {
  const ground = openGround();
  expectFree(ground, ['git log -1', 'git show -s', 'git log -1 --format=%N']);
  ground.run(`git notes add -C ${ground.blob} HEAD`);
  const lines = ['git log -1', 'git show -s', 'git log -1 --format=%N', 'git notes show', 'git show --stat'];
  expectClosed(ground, lines);
  expectClosed(ground, ['git log --oneline --notes', 'git reflog --format=%N', 'git log --no-notes --notes']);
  expectFree(ground, ['git log -3 --format=%s', 'git stash list', 'git reflog', 'git rev-list HEAD']);
  expectFree(ground, ['git log --no-notes', 'git log --oneline -3', 'git show -s --no-notes', 'git status']);
  ground.run('git pack-refs --all');
  expectClosed(ground, lines);
});

gitTest(
  'G9 a repository neither chooses the notes, nor shows patches of stashes, nor replaces files',
  async () => {
    const ground = openGround();
    ground.run(
      [
        'echo more >> .env && git stash -q && git config stash.showPatch true',
        `tree=$(printf '100644 blob ${ground.blob}\\t%s\\n' $(git rev-parse HEAD) | git mktree)`,
        'git update-ref refs/heads/odd $(git commit-tree -m odd $tree)',
        `git replace $(git rev-parse HEAD:a.txt) ${ground.blob}`,
        'git config core.notesRef refs/heads/odd && git config notes.displayRef refs/heads/odd',
      ].join(' && '),
    );
    for (const line of ['git log -1', 'git stash show', 'git blame HEAD -- a.txt'])
      expect(ground.run(line)).toContain('hunter2');
    const variables = await neutralGitVariables([ground.root], { env: ground.env });
    for (const line of ['git log -1', 'git stash show', 'git blame HEAD -- a.txt', 'git status'])
      expect([line, ground.run(line, variables)]).toEqual([line, expect.not.stringContaining('hunter2')]);
    expect(ground.run('git log -1', variables)).toContain('second');
  },
);

gitTest('what shows no file that a rule is about is free', () => {
  const ground = openGround();
  const lines = [
    'git blame a.txt',
    'git blame HEAD -- a.txt',
    'git blame -L 1,1 a.txt',
    'git annotate a.txt',
  ];
  expectFree(ground, [
    ...lines,
    'git rev-parse HEAD',
    'git rev-parse --abbrev-ref HEAD',
    'git rev-parse main~1',
  ]);
  expectFree(ground, ['git cat-file -p HEAD', 'git cat-file -p main', 'git cat-file -t HEAD']);
  expectJudged(
    ground,
    ['git blame .env', 'git blame HEAD -- .env', 'git cat-file -p HEAD:.env'],
    'deny deny',
  );
  expect(ground.judge('git rev-parse HEAD:.env')).toBe('allow deny');
  expect(ground.judge('git cat-file -p HEAD^{tree}')).toBe('ask deny');
});
