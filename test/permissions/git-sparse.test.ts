import { expect } from 'bun:test';
import { needs } from '../support/index.ts';
import { expectJudged, openGitGround } from './git-ground.ts';

const gitTest = needs('git');
const count = 'find .git/objects -type f | wc -l';

gitTest('what stores objects to read a sparse index is asked about', () => {
  const ground = openGitGround({ 'a.txt': 'a\n', 'src/b.txt': 'b\n', 'docs/c.md': 'c\n' });
  const listing = [
    'git ls-files',
    'git ls-files src',
    'git check-attr -a a.txt',
    'git diff-files',
    'git show :a.txt',
  ];
  expectJudged(ground, listing.slice(0, 3), 'allow allow');
  ground.run(
    'git sparse-checkout init --cone --sparse-index; git sparse-checkout set src; echo n > src/n; git add src/n',
  );
  for (const line of listing) expect([line, ground.judge(line).includes('allow')]).toEqual([line, false]);
  const looking = [
    'git status',
    'git diff',
    'git diff --cached --stat',
    'git log -p -- src',
    'git blame src/b.txt',
  ];
  for (const line of looking) expect([line, ground.judge(line).split(' ')[0]]).toEqual([line, 'allow']);
  const before = ground.run(count);
  for (const line of looking) ground.run(line);
  expect(ground.run(count)).toBe(before);
  ground.run('git ls-files');
  expect(ground.run(count)).not.toBe(before);
});
