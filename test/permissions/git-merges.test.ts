import { expect, test } from 'bun:test';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { type Case, judge } from './cases.ts';
import { openGitGround } from './git-ground.ts';

/** A branch renames a file, and the one that is checked out has a new line in it. */
function openRenamed(file: string, isCommitted: boolean) {
  const text = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
  const ground = openGitGround({ [file]: text, 'a.txt': 'one\n' });
  ground.run(
    `git checkout -qb other && git mv ${file} pub.txt && git commit -qm renamed && git checkout -q main`,
  );
  ground.run(
    'git checkout -qb plain && echo two > b.txt && git add b.txt && git commit -qm plain && git checkout -q main',
  );
  ground.put(file, `${text}HUSH\n`);
  if (isCommitted) ground.run(`git commit -qam more && git branch more`);
  const { root } = ground;
  const workspace = {
    cwd: root,
    directories: [],
    realPath: resolveRealPath,
    look: lookAtFiles([root], undefined, { ...ground.env }),
  };
  return {
    ...ground,
    behaviour: (command: string, more: Partial<Case>) =>
      judge({ accesses: [{ kind: 'shell', command, cwd: root }], workspace, ...more }).behaviour,
  };
}

const ways = [
  { isCommitted: false, line: 'git checkout -q -m other' },
  { isCommitted: false, line: 'git checkout -qm other' },
  { isCommitted: false, line: 'git switch -q --merge other' },
  { isCommitted: true, line: 'git merge -q -m x other' },
  { isCommitted: true, line: 'git rebase -q other' },
  { isCommitted: true, before: 'git checkout -q other', line: 'git cherry-pick main' },
  { isCommitted: true, before: 'git checkout -q other', line: 'git merge -q -m x main' },
  { isCommitted: false, before: 'git stash -q && git checkout -q other', line: 'git stash pop' },
];

for (const { isCommitted, before, line } of ways)
  test(`what a rule refuses is not moved to another name by ${line}`, () => {
    const rules = [
      { file: 'hush.txt', more: { allow: ['Bash(git:*)'], deny: ['Read(hush.txt)'] } },
      { file: 'secrets/x', more: { mode: 'bypassPermissions' as const, deny: ['Read(secrets/**)'] } },
      { file: '.env', more: { allow: [`Bash(${line.split(' ', 2).join(' ')}:*)`] } },
    ];
    for (const { file, more } of rules) {
      const ground = openRenamed(file, isCommitted);
      if (before) ground.run(before);
      expect([file, ground.behaviour(line, more)]).toEqual([file, 'ask']);
      expect([
        file,
        ground.behaviour(line, {
          allow: ['Bash(git:*)'],
          ...(file === '.env' ? { mode: 'bypassPermissions' } : {}),
        }),
      ]).toEqual([file, 'allow']);
      expect(ground.run(`${line}; tail -1 pub.txt`)).toContain('HUSH');
    }
  });

test('merges that keep refused files and credentials under their names are not asked about', () => {
  for (const file of ['hush.txt', '.env']) {
    const ground = openRenamed(file, true);
    const lines = [
      ...['git merge plain', 'git checkout -m plain', 'git cherry-pick plain', 'git merge --ff-only other'],
      ...[
        'git rebase --abort',
        'git checkout other',
        'git switch other',
        'git merge --abort',
        'git pull --ff-only',
      ],
    ];
    const more = { allow: ['Bash(git:*)'], deny: file === '.env' ? [] : ['Read(hush.txt)'] };
    for (const line of lines)
      expect([file, line, ground.behaviour(line, more)]).toEqual([file, line, 'allow']);
  }
  const ground = openRenamed('b.txt', true);
  for (const line of ['git pull', 'git rebase other', 'git merge other', 'git stash pop'])
    expect([line, ground.behaviour(line, { allow: ['Bash(git:*)'] })]).toEqual([line, 'allow']);
  for (const line of ['git pull', 'git rebase other', 'git merge other'])
    expect([line, ground.behaviour(line, { allow: ['Bash(git:*)'], deny: ['Read(.env)'] })]).toEqual([
      line,
      'allow',
    ]);
});

test('a deny rule holds for git that stores a file by its name, or takes a message from it', () => {
  const ground = openRenamed('hush.txt', false);
  ground.put('secrets/x', 'HUSH\n');
  ground.put('free/y', 'free\n');
  const deny = ['Read(hush.txt)', 'Read(secrets/**)'];
  const refused = [
    ...[
      'git add hush.txt',
      'git add -f ./hush.txt',
      'git commit hush.txt -m x',
      'git commit -m x -- hush.txt',
    ],
    ...[
      'git stage hush.txt',
      "git add ':/hush.txt'",
      "git add 'hush*'",
      'git add secrets',
      'git add secrets/x',
    ],
    ...[
      'git commit -F hush.txt',
      'git tag -F hush.txt v1',
      'git add -p hush.txt',
      'git -C free add ../hush.txt',
    ],
  ];
  for (const line of refused)
    for (const more of [{ allow: ['Bash(git:*)'] }, { mode: 'bypassPermissions' as const }])
      expect([line, ground.behaviour(line, { deny, ...more })]).not.toEqual([line, 'allow']);
  expect(ground.behaviour('git add hush.txt', { deny, mode: 'bypassPermissions' })).toBe('deny');
  const free = [
    ...['git add -A', 'git add .', 'git commit -am x', 'git add a.txt free', 'git commit -m hush.txt'],
    ...['git commit -m "add hush.txt"', 'git add -u', 'git tag hush.txt', 'git commit --message=hush.txt'],
  ];
  for (const line of free)
    for (const more of [{ allow: ['Bash(git:*)'] }, { mode: 'bypassPermissions' as const }])
      expect([line, ground.behaviour(line, { deny, ...more })]).toEqual([line, 'allow']);
});

test('a rule about a directory is not evaded by a second checkout of the repository', () => {
  const ground = openRenamed('secrets/x', true);
  for (const line of ['git worktree add w2', 'git clone . copy', 'git clone "file://$PWD" copy'])
    for (const more of [{ allow: ['Bash(git:*)'] }, { mode: 'bypassPermissions' as const }]) {
      expect([line, ground.behaviour(line, { deny: ['Read(secrets/**)'], ...more })]).toEqual([line, 'ask']);
      expect([line, ground.behaviour(line, { deny: ['Read(.env)', 'Read(x)'], ...more })]).toEqual([
        line,
        'allow',
      ]);
    }
  const free = [
    'git clone https://example.com/a',
    'git clone git@example.com:a/b',
    'git worktree list',
    'git worktree prune',
  ];
  for (const line of free)
    expect([line, ground.behaviour(line, { deny: ['Read(secrets/**)'], mode: 'bypassPermissions' })]).toEqual(
      [line, 'allow'],
    );
});
