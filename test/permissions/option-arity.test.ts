import { expect, test } from 'bun:test';
import { archiveTools } from '../../src/shell/tables/archive-tools.data.ts';
import { fileTools } from '../../src/shell/tables/file-tools.data.ts';
import { gitCommands, gitListings } from '../../src/shell/tables/git.data.ts';
import { textTools } from '../../src/shell/tables/text-tools.data.ts';
import { curlFlags, wgetFlags } from '../../src/shell/tables/transfers.data.ts';
import { viewingTools } from '../../src/shell/tables/viewing-tools.data.ts';
import { writers } from '../../src/shell/tables/writers.data.ts';
import { needs } from '../support/index.ts';
import { judge, shell } from './cases.ts';
import { openGitGround } from './git-ground.ts';
import { findWrongArity, type ProbedTool } from './option-arity.ts';

const gitTest = needs('git');

gitTest(
  "git takes the next word for an option's value where the tables say so, and nowhere else",
  async () => {
    const tools = Object.entries({ ...gitCommands, ...gitListings }).map(([name, { flags }]) => ({
      words: ['git', name, ...(behind[name] ?? [])],
      flags,
    }));
    const ground = openGitGround({ a: '' });
    ground.run('echo b > a && git stash -q');
    const { wrong, told } = await findWrongArity(tools, ground.root);
    expect(wrong).toEqual([]);
    expect(told).toBeGreaterThan(200);
  },
  300_000,
);

test('other programs take the next word where the tables say so, and nowhere else', async () => {
  const tables = { ...archiveTools, ...fileTools, ...textTools, ...viewingTools };
  const tools = [
    ...Object.entries(tables).map(([name, { flags }]) => ({ words: [name], flags })),
    ...Object.entries(writers).map(([name, { flags }]) => ({ words: [name], flags })),
    { words: ['curl'], flags: curlFlags },
    { words: ['wget'], flags: wgetFlags },
  ].filter(({ words: [name = ''] }) => !notProbed.has(name) && Bun.which(name));
  const { wrong, told } = await findWrongArity(tools, openGitGround({ a: '' }).root);
  expect(wrong).toEqual([]);
  expect(told).toBeGreaterThan(300);
}, 300_000);

gitTest('a list that is wrong about an option is found', async () => {
  const plants: ProbedTool[] = [
    { words: ['git', 'log'], flags: '--encoding? --decorate-refs? --graph:' },
    { words: ['git', 'grep'], flags: '-A -i:' },
    { words: ['sort'], flags: '-k -r: --key?' },
  ];
  const tree: ProbedTool = { words: ['tree'], flags: '--timefmt? --charset? --sort?' };
  const all = Bun.which('tree') ? [...plants, tree] : plants;
  const { wrong } = await findWrongArity(all, openGitGround({ a: '' }).root);
  expect(wrong.length).toBe(all.includes(tree) ? 11 : 8);
});

test('a word that one option takes is not taken for another option', () => {
  for (const command of [
    'git show --encoding -S HEAD:.env -- a.txt',
    'git log -p --encoding -S .env',
    'git log -p --decorate-refs -S .env -- a.txt',
    'git show --decorate-refs-exclude -S HEAD:.env -- a.txt',
    'tree --timefmt -I /etc/ssh',
    'tree --charset -P /etc/ssh',
    'tree --sort -I /etc/ssh',
    'tree --timefmt /etc/ssh',
    'tree --timefmt x /etc/ssh',
  ])
    expect([command, judge({ accesses: [shell(command)], deny: ['Read(.env)'] }).behaviour]).not.toEqual([
      command,
      'allow',
    ]);
  for (const command of [
    'git log --encoding UTF-8',
    'git log --encoding=UTF-8 --oneline',
    'git log --oneline --decorate-refs=refs/tags',
    'tree -D --timefmt %F',
    "tree -D --timefmt '%Y/%m/%d'",
    'tree --charset utf-8',
    'tree --sort=size -L 2',
    'tree --sort mtime',
  ])
    expect([command, judge({ accesses: [shell(command)] }).behaviour]).toEqual([command, 'allow']);
});

const behind: Readonly<Record<string, readonly string[]>> = {
  stash: ['show'],
  worktree: ['list', '--porcelain'],
  notes: ['list'],
};

/** They are no programs, or one of another make has the same name. */
const notProbed: ReadonlySet<string> = new Set(['yq', 'ulimit', 'umask']);
