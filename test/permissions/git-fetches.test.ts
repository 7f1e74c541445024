import { expect } from 'bun:test';
import { join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs } from '../support/index.ts';
import { type Case, judge } from './cases.ts';
import { openGitGround } from './git-ground.ts';

const gitTest = needs('git');

function openGround() {
  const ground = openGitGround({ 'conf/app.txt': 'HUSH\n', 'a.txt': 'one\n' });
  const workspace = {
    cwd: ground.root,
    directories: [],
    realPath: resolveRealPath,
    look: lookAtFiles([ground.root], undefined, { ...ground.env }),
  };
  const behaviour = (command: string, more: Partial<Case> = {}) =>
    judge({
      ...{ accesses: [{ kind: 'shell', command, cwd: ground.root }], workspace, allow: ['Bash(git:*)'] },
      ...more,
    }).behaviour;
  return { ...ground, behaviour };
}

const anchored = (root: string) => [
  'Read(./conf/**)',
  'Read(./conf/app.txt)',
  `Read(/${root}/conf/**)`,
  'Read(conf/**)',
];

gitTest('files that a rule names by their place get no other place by a fetch in the same line', () => {
  const { root, run, behaviour } = openGround();
  const lines = [
    ...[
      'git init -q y; git -C y fetch -q ..',
      'git init y && cd y && git fetch ..',
      'git init y && git -C y pull ..',
    ],
    ...[
      'git init y; git -C y fetch ../.git',
      `git init y; git -C y fetch file://${root}`,
      `git init y; git -C y fetch ${root}`,
    ],
    ...[
      'git init y; git -C y remote add o ..',
      'git init y; git -C y remote add -f o ..',
      'git -C y fetch ..',
    ],
    ...[
      'git init y; git -C y remote add o .. ; git -C y fetch o',
      'git init y; git -C y fetch ../../r*',
      'git init y; git push ./y main:x',
    ],
  ];
  for (const line of lines)
    for (const deny of anchored(root))
      for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const)
        expect([line, deny, mode, behaviour(line, { deny: [deny], mode })]).toEqual([
          line,
          deny,
          mode,
          'ask',
        ]);
  expect(
    run('git init -q y; git -C y fetch -q ..; git -C y checkout -q FETCH_HEAD; cat y/conf/app.txt'),
  ).toContain('HUSH');
});

gitTest('nor by a fetch into a repository that is there', () => {
  const { root, run, behaviour } = openGround();
  run('git init -q y && git -C y remote add o .. && git init -q z');
  const lines = [
    ...[
      'git -C y fetch ..',
      'git -C y fetch o',
      'git -C y fetch',
      'git -C y pull o main',
      'git -C y remote update',
    ],
    ...[
      'cd y && git fetch --all',
      'git -C z remote add o ..',
      'git -C z remote set-url o ..',
      'git -C z pull ../',
    ],
  ];
  for (const line of lines) {
    for (const deny of anchored(root).slice(0, -1))
      expect([line, deny, behaviour(line, { deny: [deny] })]).toEqual([line, deny, 'ask']);
    expect([line, behaviour(line, { deny: ['Read(app.txt)', 'Read(conf/**)', 'Read(~/.ssh/**)'] })]).toEqual([
      line,
      'allow',
    ]);
    expect([line, behaviour(line)]).toEqual([line, 'allow']);
  }
});

gitTest('fetches that leave files at the paths that a rule names are not asked about', () => {
  const { run, behaviour } = openGround();
  run('git clone -q --bare . ../hub.git && git remote add origin ../hub.git && git fetch -q');
  const lines = [
    'git fetch',
    'git fetch origin',
    'git fetch .',
    'git fetch . main:x',
    'git pull --ff-only',
    'git remote update',
  ];
  for (const line of [...lines, 'git fetch https://h.example/a', 'git remote add o https://h.example/a'])
    expect([line, behaviour(line, { deny: ['Read(./conf/**)'] })]).toEqual([line, 'allow']);
});

gitTest(
  'a merge that moves files into a directory is asked about where git keeps what a rule refuses',
  () => {
    const { run, behaviour } = openGround();
    run(
      'git checkout -qb other && echo x > b.txt && git add b.txt && git commit -qm b && git checkout -q main',
    );
    for (const line of [
      'git merge -X subtree=y other',
      'git merge -Xsubtree=y other',
      'git cherry-pick -X subtree=y other',
    ])
      expect([line, behaviour(line, { deny: ['Read(./conf/**)'] })]).toEqual([line, 'ask']);
    expect(behaviour('git merge -X ours other', { deny: ['Read(./conf/**)'] })).toBe('allow');
  },
);

gitTest('text of a program that names a file of git is asked about under a rule', () => {
  const { run, behaviour } = openGround();
  const id = run('git rev-parse HEAD:conf/app.txt').trim();
  const object = join('.git/objects', id.slice(0, 2), id.slice(2));
  const line = `python3 -c "import zlib; print(zlib.decompress(open('${object}','rb').read()))"`;
  expect(run(line)).toContain('HUSH');
  const allow = ['Bash(python3:*)'];
  expect([behaviour(line, { allow, deny: ['Read(./conf/**)'] }), behaviour(line, { allow })]).toEqual([
    'ask',
    'allow',
  ]);
});

gitTest('nor by a push into another checkout, or by way of a repository without one', () => {
  const { run, behaviour } = openGround();
  run(
    'git init -q y && git init -q --bare ../hub.git && git remote add origin ../hub.git && git push -q origin main',
  );
  const lines = [
    'git push ./y main:x',
    'git push y main:x',
    'git push ../new main',
    'git -C y fetch ../../hub.git',
  ];
  for (const line of lines)
    for (const mode of ['default', 'bypassPermissions'] as const)
      expect([line, mode, behaviour(line, { deny: ['Read(./conf/**)'], mode })]).toEqual([line, mode, 'ask']);
  for (const line of [
    'git push',
    'git push origin main',
    'git push -u origin feature/x',
    'git fetch',
    'git push https://h/x main',
  ])
    expect([line, behaviour(line, { deny: ['Read(./conf/**)'] })]).toEqual([line, 'allow']);
});
