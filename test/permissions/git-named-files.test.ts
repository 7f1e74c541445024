import { expect } from 'bun:test';
import { needs } from '../support/index.ts';
import { type GitGround, openGitGround } from './git-ground.ts';

const gitTest = needs('git');

function openGround(): GitGround {
  const ground = openGitGround({ 'a.txt': 'one\n', 'src/b.txt': 'one\n', '.env': 'TOKEN=old\n' });
  ground.put('.env', 'TOKEN=new\n');
  ground.run('git commit -qam second && git branch side && git tag v1');
  return ground;
}

/** For the lead under a rule, and for Explore, to whom credentials are closed. */
function expectHeld(ground: GitGround, lines: readonly string[]): void {
  for (const line of lines)
    expect([line, ground.judge(line, { deny: ['Read(.env)'] })]).not.toEqual([
      line,
      expect.stringContaining('allow'),
    ]);
}

gitTest('a file of a revision does not limit a command that is to show all references', () => {
  const ground = openGround();
  expect(ground.run('git show --all HEAD:a.txt')).toContain('TOKEN=new');
  expect(ground.run('git log -p --all HEAD:a.txt')).toContain('TOKEN=new');
  const references = ['--all', '--branches', '--tags', '--remotes', '--branches=si*', '-g', '--walk-reflogs'];
  expectHeld(ground, [
    ...references.flatMap((option) => [
      `git show ${option.replace('*', '\\*')} HEAD:a.txt`,
      `git show HEAD:src ${option.replace('*', '\\*')}`,
      `git log -p ${option.replace('*', '\\*')} :a.txt`,
      `git rev-list -p ${option.replace('*', '\\*')} HEAD:a.txt`,
      `git reflog -p HEAD:a.txt ${option.replace('*', '\\*')}`,
    ]),
    'git whatchanged -p --all HEAD:a.txt',
    'git log --cc --all v1:a.txt',
    'git show --no-walk --all HEAD:a.txt',
  ]);
});

gitTest('a range that begins with a file shows the commits at its end', () => {
  const ground = openGround();
  for (const line of ['git show HEAD:a.txt..HEAD', 'git show HEAD:a.txt..', 'git show HEAD:src/..'])
    expect([line, ground.run(line)]).toEqual([line, expect.stringContaining('TOKEN=new')]);
  expectHeld(ground, [
    'git show HEAD:a.txt..HEAD',
    'git show HEAD:a.txt..',
    'git show :a.txt..side',
    'git show HEAD:src/..',
    'git show HEAD:src/..v1',
    'git log -p HEAD:a.txt..HEAD',
    'git show HEAD:a.txt...HEAD',
    'git show HEAD~1..HEAD:a.txt..side',
    'git show $(git rev-parse HEAD):a.txt..HEAD',
  ]);
});

gitTest('a file of a revision alone is shown alone', () => {
  const ground = openGround();
  for (const line of [
    'git show HEAD:a.txt',
    'git show HEAD:src/../a.txt',
    'git show HEAD:./a.txt v1:src/b.txt',
    'git show HEAD~1:src',
    'git cat-file -p HEAD:a.txt',
    'git grep one HEAD:src',
    'git diff HEAD~1:a.txt HEAD:a.txt',
  ])
    expect([line, ground.judge(line, { deny: ['Read(.env)'] })]).toEqual([line, 'allow allow']);
});
