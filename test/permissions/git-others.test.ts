import { expect, test } from 'bun:test';
import { needs } from '../support/index.ts';
import { judge, shell } from './cases.ts';
import { openGitGround } from './git-ground.ts';

const gitTest = needs('git');
const rules = { deny: ['Read(.env)'] };

gitTest('what git notes beside its references may be a commit that nobody has looked through', () => {
  const ground = openGitGround({ 'a.txt': 'a\n' });
  ground.run('echo TOKEN > .env && git add .env');
  const hidden = ground.run('git commit-tree -m hidden $(git write-tree)').trim();
  ground.run('git rm -q --cached .env && rm .env');
  for (const name of ['FETCH_HEAD', 'ORIG_HEAD', 'MERGE_HEAD', 'AUTO_MERGE']) {
    ground.put(`.git/${name}`, `${hidden}\n`);
    for (const line of [`git log -p ${name}`, `git show ${name}`, `git show ${name}~0`]) {
      expect([line, ground.run(line).includes('TOKEN')]).toEqual([line, true]);
      expect([line, ground.judge(line, rules)]).toEqual([line, 'ask deny']);
    }
  }
});

gitTest('a format shows notes of a stash', () => {
  const ground = openGitGround({ 'a.txt': 'a\n' });
  ground.run("echo b > a.txt && git stash -q && git notes add -m 'TOKEN' stash@{0}");
  const line = 'git stash list -s --format=%N';
  expect(ground.run(line)).toContain('TOKEN');
  expect(ground.judge(line, rules)).toBe('ask deny');
  expect(ground.judge('git stash list -s --format=%h', rules)).toBe('allow allow');
});

gitTest('references that are named by a pattern may be files', () => {
  const ground = openGitGround({ '.env': 'TOKEN\n' });
  ground.run('git update-ref refs/kept/file $(git rev-parse HEAD:.env)');
  for (const line of ['git show --stat --glob=refs/kept', "git show --stat --glob 'refs/kept/*'"]) {
    expect([line, ground.run(line).includes('TOKEN')]).toEqual([line, true]);
    expect([line, ground.judge(line, rules)]).toEqual([line, 'ask deny']);
  }
});

test.each([
  'bash -n +x',
  'bash -n -x',
  'test -R "$x"',
  "test -R 'a[$(touch pwn)]'",
  '[ -R "$x" ]',
  'find . -name $x',
  'find . -newer $(echo a b)',
])('%s is asked about', (command) => {
  expect(judge({ accesses: [shell(command)] }).behaviour).toBe('ask');
});
