import { expect } from 'bun:test';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { needs, temporaryDirectory } from '../support/index.ts';
import { expectJudged, openGitGround } from './git-ground.ts';

const gitTest = needs('git');

/** `deep` leads to `src/deep`, and `part` into a repository of its own. */
function openGround() {
  const ground = openGitGround({ 'src/deep/a.txt': 'x\n', 'src/inner/key.txt': 'x kept\n', 'b.txt': 'x\n' });
  symlinkSync('src/deep', join(ground.root, 'deep'));
  symlinkSync('src/inner', join(ground.root, 'inner'));
  ground.put('nested/key.txt', 'x nested\n');
  ground.put('nested/lib/c.txt', 'x\n');
  ground.run('cd nested && git init -q && git add . && git commit -qm first && echo x >> key.txt');
  symlinkSync('nested/lib', join(ground.root, 'part'));
  return ground;
}

/** By `cd` and by `-C`. */
function eachWay(directory: string, commands: readonly string[]): string[] {
  return commands.flatMap((command) => [
    `cd ${directory} && git ${command}`,
    `cd ${directory}; git ${command}`,
    `git -C ${directory} ${command}`,
  ]);
}

/** Behind `;` the shell may still be in the workspace, and `..` above it; a pattern may be for a credential file. */
function isSure(line: string): boolean {
  return !/[;*]/.test(line);
}

gitTest('git in a directory behind a link takes paths from where the link leads', () => {
  const ground = openGround();
  expect(ground.run('cd deep && git log -p -- ../inner')).toContain('x kept');
  expect(ground.run('cd inner && git grep x')).toContain('x kept');
  const lines = [
    ...eachWay('deep', ['log -p -- ../inner', "log -p -- '../inn*'", 'grep x -- ./../inner', 'grep x -- ..']),
    ...eachWay('inner', ['grep x', "log -p -- 'k*'", 'log -p -- .', "show HEAD -- '*.txt'"]),
    'cd deep/. && git log -p -- ../inner',
    'git -C deep/../inner grep x',
  ];
  for (const deny of ['Read(./src/inner/key.txt)', 'Read(key.txt)'])
    for (const line of lines)
      expect([line, ground.judge(line, { deny: [deny] })]).not.toEqual([
        line,
        expect.stringContaining('allow'),
      ]);
  expectJudged(
    ground,
    [...eachWay('deep', ['log -p -- .', 'grep x', 'log -p']), ...lines.filter(isSure)],
    'allow allow',
  );
});

gitTest('git behind a link is judged by the repository that it finds there', () => {
  const ground = openGround();
  const lines = eachWay('part', [
    ...['log -p', 'diff', 'show HEAD', 'diff HEAD', 'show HEAD:key.txt', 'log -p -- ..', 'grep x -- ..'],
    ...['show HEAD:../key.txt', 'diff -- :/', 'blame ../key.txt'],
  ]);
  expect(ground.run('git -C part log -p')).toContain('x nested');
  for (const line of lines)
    expect([line, ground.judge(line, { deny: ['Read(./nested/key.txt)'] })]).not.toEqual([
      line,
      expect.stringContaining('allow'),
    ]);
  expectJudged(ground, eachWay('part', ['log -p', 'diff', 'status', 'grep x']), 'allow allow');
  ground.put('nested/.env', 'x\n');
  ground.run('cd nested && git add . && git commit -qm second');
  expectJudged(
    ground,
    eachWay('part', ['log -p', 'show HEAD', 'grep x HEAD -- ..']).filter(isSure),
    'allow deny',
  );
});

gitTest('names with blanks that git prints behind a link are not taken for whole names', () => {
  const ground = openGround();
  ground.put('src/deep/q ../inner/key.txt', 'x\n');
  ground.run('git add . && git commit -qm second');
  expect(ground.run('cd deep && git ls-files | xargs cat')).toContain('x kept');
  for (const line of ['cd deep && git ls-files | xargs cat', 'cd deep && cat $(git ls-files)'])
    expect([line, ground.judge(line, { deny: ['Read(./src/inner/key.txt)'] })]).toEqual([line, 'ask deny']);
});

gitTest('a rule by a path that leads to the workspace through a link holds for what git shows', () => {
  const ground = openGround();
  const link = join(temporaryDirectory().path, 'link');
  symlinkSync(ground.root, link);
  const deny = [`Read(/${link}/src/inner/**)`];
  for (const line of ['git grep x', 'git log -p', 'git show HEAD:src/inner/key.txt', 'git grep x -- src'])
    expect([line, ground.judge(line, { deny })]).not.toEqual([line, expect.stringContaining('allow')]);
  for (const line of ['git grep x -- src/deep', 'git log -p -- b.txt'])
    expect([line, ground.judge(line, { deny })]).toEqual([line, 'allow allow']);
});
