import { expect } from 'bun:test';
import { needs } from '../support/index.ts';
import { openGitGround } from './git-ground.ts';

const gitTest = needs('git');
const files = { 'a.txt': 'a\n', 'src/m.js': 'm\n', '.env': 'TOKEN\n' };

gitTest('files that a script of sed or awk names are held against rules, whatever allows the program', () => {
  const ground = openGitGround(files);
  const rules = { allow: ['Bash'], deny: ['Read(.env)', 'Edit(src/**)'] };
  const reading = [
    "sed 'r.env' a.txt",
    "sed -n '1r.env' a.txt",
    "sed -e 'R.env' a.txt",
    'sed --expression=r.env a.txt',
  ];
  for (const line of reading) expect([line, ground.run(line).includes('TOKEN')]).toEqual([line, true]);
  for (const line of [
    ...[...reading, "sed -n 'wsrc/x1' a.txt", "sed 's/a/b/wsrc/x' a.txt", "sed -n '/a/{wsrc/x\n}' a.txt"],
    ...["sed -n 'w .git/hooks/pre-commit' a.txt", "sed 's/a/b/gw .envrc' a.txt", "sed -n '$!w.envrc' a.txt"],
    ...[`awk '{print > ".git/hooks/post-commit"}' a.txt`, `awk '{print >> "src/x"}' a.txt`],
    `awk 'BEGIN{while((getline l < ".env")>0)print l}'`,
  ])
    expect([line, ground.judge(line, rules).split(' ')[0]]).not.toEqual([line, 'allow']);
  for (const line of [
    ...["sed -n 's/a/b/w out.txt' a.txt", "sed 's/server/.git/' a.txt", "sed 's,r,.vscode/x,' a.txt"],
    ...[`awk '{print > "out"}' a.txt`, "sed -i 's/a/b/' a.txt", "sed 'y/rw/ab/' a.txt"],
  ])
    expect([line, ground.judge(line, rules).split(' ')[0]]).toEqual([line, 'allow']);
});

gitTest('what find hands to a command in the directory of each file is held against rules', () => {
  const ground = openGitGround(files);
  const rules = { allow: ['Bash'], deny: ['Read(.env)'] };
  for (const line of [
    ...[
      "find . -maxdepth 1 -name '.e*' -execdir cat {} +",
      "find . -name '.e*' -execdir timeout 5 cat {} ';'",
    ],
    ...["find . -name .env -okdir cat {} ';'"],
  ])
    expect([line, ground.judge(line, rules).split(' ')[0]]).not.toEqual([line, 'allow']);
});
