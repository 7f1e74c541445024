import { expect } from 'bun:test';
import { needs } from '../support/index.ts';
import { openGitGround } from './git-ground.ts';

const gitTest = needs('git');
const rules = { allow: ['Bash(git:*)'], deny: ['Read(sec/**)'] };

gitTest('a rule about a directory holds where its tree is brought back under other paths', () => {
  const ground = openGitGround({ 'sec/a.txt': 'KEY=secret\n', 'f.txt': 'f\n' });
  const tree = ground.run('git rev-parse HEAD:sec').trim();
  const commit = ground.run('git rev-parse HEAD').trim();
  const lines = [
    ...[
      `git restore --source=${tree} a.txt`,
      `git restore -s ${tree} .`,
      `git restore -s${tree.slice(0, 8)} .`,
    ],
    ...[`git checkout ${tree} -- a.txt`, `git checkout ${tree} .`, `git reset --hard ${tree}`],
    ...['git restore --source="$ID" .', 'git -C . checkout HEAD:sec -- a.txt'],
  ];
  for (const line of lines) expect(`${line}: ${ground.judge(line, rules)}`).not.toContain('allow');
  for (const line of [
    `git restore --source=${commit} f.txt`,
    'git checkout main -- f.txt',
    'git restore f.txt',
  ])
    expect(`${line}: ${ground.judge(line, rules)}`).toStartWith(`${line}: allow`);
  for (const line of lines.slice(0, 6))
    expect(ground.judge(line, { allow: rules.allow })).toStartWith('allow');
});

gitTest('a directory of a commit is compared with everything there is', () => {
  const ground = openGitGround({ 'a.txt': 'a\n', 'src/b.txt': 'b\n', '.env': 'TOKEN\n' });
  for (const line of ['git diff HEAD:src', 'git diff-index -p HEAD:src', 'git diff --cached HEAD:src']) {
    expect([line, ground.run(line).includes('TOKEN')]).toEqual([line, true]);
    expect([line, ground.judge(line, { deny: ['Read(.env)'] })]).toEqual([line, 'ask deny']);
  }
  for (const line of [
    'git diff HEAD:a.txt',
    'git diff HEAD:src HEAD:src',
    'git show HEAD:src',
    'git diff HEAD:src -- src',
  ])
    expect([line, ground.judge(line, { deny: ['Read(.env)'] })]).toEqual([line, 'allow allow']);
});
