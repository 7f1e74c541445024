import { expect } from 'bun:test';
import { needs } from '../support/index.ts';
import { type GitGround, openGitGround } from './git-ground.ts';

const gitTest = needs('git');

const files = {
  'a.txt': 'a\n',
  'docs/b.md': 'b\n',
  'src/m.js': 'm\n',
  '.vscode/tasks.json': '{}\n',
  '.gitignore': '.env\n',
};

function openGround(): GitGround {
  const ground = openGitGround(files);
  for (const name of ['.env', '.envrc', '.husky/pre-commit', 'src/new.js', 'build/out']) ground.put(name);
  return ground;
}

const magic = [
  ...[':', ':/', "':!docs'", "':^docs'", "':(exclude)docs'", "':!/docs'", "':(top,exclude)docs'", "':(top)'"],
  ...["':(attr:!x)'", "'*'", "':(icase)SRC'", "':/:'", '::', "':(glob)**'", "':(top,glob)*'", "'?*'"],
];

gitTest('git removes nothing of what a rule refuses by a pathspec that names no file', () => {
  const ground = openGround();
  const rules = { allow: ['Bash(git:*)'], deny: ['Edit(src/**)', 'Edit(.env)'] };
  for (const line of [
    ...magic.flatMap((text) => [
      `git rm -rf ${text}`,
      `git clean -fdx ${text}`,
      `cd docs && git rm -rf ${text.replace(/^'(?::\(glob\))?[*?]+'$/, ':')}`,
    ]),
    ...['git clean -fdx', 'git clean -fdx .', 'git -C docs rm -rf :/', "git rm -rf docs ':!a.txt' src"],
    ...["git rm -rf ':/src'", "git rm -rf ':(literal)src'", "git rm 's[r]c/m.js'", "git clean -f -- ':/src'"],
  ])
    expect([line, ground.judge(line, rules).split(' ')[0]]).not.toEqual([line, 'allow']);
});

gitTest('nor the workspace, nor protected files, under a rule for the subcommand alone', () => {
  const ground = openGround();
  const rules = { allow: ['Bash(git rm:*)', 'Bash(git clean:*)'] };
  for (const line of magic.flatMap((text) => [`git rm -rf ${text}`, `git clean -fdx ${text}`]))
    expect([line, ground.judge(line, rules).split(' ')[0]]).toEqual([line, 'ask']);
});

gitTest('nor under a rule for every command', () => {
  const ground = openGround();
  const rules = { allow: ['Bash'], deny: ['Edit(src/**)'] };
  for (const line of ['git rm -rf :', "git rm -rf ':!docs'", 'git clean -fdx :/', 'git clean -fdx'])
    expect([line, ground.judge(line, rules).split(' ')[0]]).not.toEqual([line, 'allow']);
});

gitTest('what a pathspec names is covered by the rule for git', () => {
  const ground = openGround();
  const rules = { allow: ['Bash(git:*)'], deny: ['Edit(src/**)'] };
  for (const line of [
    ...["git rm ':(top)a.txt'", 'git rm a.txt', "git rm 'docs/*.md'", "git rm -r docs ':!docs/b.md'"],
    ...[
      'git clean -fd build',
      "git clean -fd ':/build'",
      'git rm --cached -r docs',
      'git restore docs',
      "git checkout -- ':/docs'",
    ],
  ])
    expect([line, ground.judge(line, rules).split(' ')[0]]).toEqual([line, 'allow']);
});
