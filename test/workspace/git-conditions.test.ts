import { expect, test } from 'bun:test';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectFilters, createFilterTrust } from '../../src/settings/trust/filter-pieces.ts';
import { chooseProgramValues } from '../../src/workspace/git/chosen-programs.ts';
import { type StartFilters, startPlainly } from '../../src/workspace/git/filter-start.ts';
import { git, ownSettings } from '../../src/workspace/git/git.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Ground, ground } from './worktree-support.ts';

/** The condition does not hold in the checkout, and does in a worktree of ours. */
const conditions = [
  'onbranch:cadre/**',
  'gitdir:**/worktrees/**',
  'gitdir/i:**/WORKTREES/**',
  'hasconfig:remote.*.url:**',
];

async function conditional(
  condition: string,
  { required = false } = {},
): Promise<Ground & { proof: string; config: string }> {
  const at = await ground({ '.gitattributes': '*.txt filter=e merge=m\n', 'a.txt': 'a\n' });
  const proof = join(temporaryDirectory().path, 'ran');
  const command = `"touch ${proof} && tr a b"`;
  const config = at.repository.file('.git/config');
  appendFileSync(config, `[includeIf "${condition}"]\n\tpath = inc\n`);
  if (condition.startsWith('hasconfig')) appendFileSync(config, '[remote "x"]\n\turl = /nowhere\n');
  writeFileSync(
    at.repository.file('.git/inc'),
    `[filter "e"]\n\tsmudge = ${command}\n\tclean = ${command}\n${required ? '\trequired\n' : ''}` +
      `[merge "m"]\n\tdriver = ${command}\n`,
  );
  Object.assign(at.world, { startFilters: startPlainly });
  return { ...at, proof, config };
}

test('a filter that the repository names under a condition runs in no worktree', async () => {
  for (const condition of conditions) {
    const at = await conditional(condition);
    const made = await createWorktree(at.order('one'), at.world);
    expect([condition, made.ok, existsSync(at.proof)]).toEqual([condition, true, false]);
    const path = made.ok ? made.value.record.path : '';
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('a\n');
    writeFileSync(join(path, 'a.txt'), 'changed\n');
    expect((await git(['status', '--porcelain'], { ...at.world, cwd: path })).ok).toBe(true);
    expect([condition, existsSync(at.proof)]).toEqual([condition, false]);
  }
});

test('the names of such settings are known where their condition does not hold', async () => {
  const at = await conditional('onbranch:nowhere');
  const names = await ownSettings({ cwd: at.repository.path, env: at.world.env });
  expect(names.ok ? names.value : []).toEqual(
    expect.arrayContaining(['filter.e.smudge', 'filter.e.clean', 'merge.m.driver']),
  );
});

test('a filter under a condition that must succeed keeps a worktree from being made', async () => {
  const at = await conditional('onbranch:cadre/**', { required: true });
  const made = await createWorktree(at.order('one'), at.world);
  expect(made.ok ? '' : made.problem.message).toContain('a.txt needs the git filter e');
});

test('a trusted filter under a condition runs where its condition holds, and nowhere else', async () => {
  for (const [condition, content] of [
    ['onbranch:cadre/**', 'b\n'],
    ['onbranch:nowhere', 'a\n'],
  ] as const) {
    const at = await conditional(condition);
    Object.assign(at.world, { trustsFilter: () => true });
    const made = await createWorktree(at.order('one'), at.world);
    const path = made.ok ? made.value.record.path : '';
    expect([condition, readFileSync(join(path, 'a.txt'), 'utf8')]).toEqual([condition, content]);
  }
});

test('what is asked about is the filter that is in effect in a worktree', async () => {
  const at = await conditional('onbranch:cadre/**');
  const root = at.repository.path;
  appendFileSync(at.config, '[filter "e"]\n\tsmudge = other\n');
  const collected = await collectFilters(at.world.env)({ home: at.home, userHome: at.home, cwd: root, root });
  const pieces = collected.ok ? collected.value.pieces : [];
  expect(pieces.map(({ file, name }) => [file, name])).toEqual([
    ['.git/config', 'e'],
    ['.git/config, includeIf', 'e'],
  ]);
  expect(JSON.stringify(pieces)).toContain(at.proof);
  const trusts = createFilterTrust({ home: at.home });
  expect(trusts({ name: 'e', settings: { smudge: 'other' } }, root)).toBe(false);
});

test("the user's own filter under a condition is started like the others, in the worktree", async () => {
  const at = await conditional('onbranch:nowhere');
  const own = join(at.home, 'own');
  writeFileSync(own, `[filter "e"]\n\tsmudge = tr a c\n`);
  writeFileSync(join(at.home, '.gitconfig'), `[includeIf "onbranch:cadre/**"]\n\tpath = ${own}\n`);
  const started: string[] = [];
  const startFilters: StartFilters = ({ commands }, work) => {
    started.push(...commands.keys());
    return work(undefined);
  };
  Object.assign(at.world, { startFilters });
  const made = await createWorktree(at.order('one'), at.world);
  expect(made.ok ? readFileSync(join(made.value.record.path, 'a.txt'), 'utf8') : made.problem).toBe('c\n');
  expect(started).toContain('filter.e.smudge');
});

test('where only git knows which file is included, nothing runs', async () => {
  const at = await conditional('onbranch:nowhere');
  appendFileSync(at.config, '[includeIf "onbranch:x"]\n\tpath = ~somebody/inc\n');
  const done = await git(['status'], { cwd: at.repository.path, env: at.world.env });
  expect(done.ok ? '' : done.problem.message).toContain('include a file that cannot be read');
});

test('a value in effect is given to git, whatever its files say by then', () => {
  const listed = [{ name: 'filter.lfs.smudge', value: 'git-lfs', isOwn: false }];
  const every = [
    { name: 'filter.lfs.smudge', value: 'git-lfs', isOwn: false },
    { name: 'filter.lfs.smudge', value: 'evil', isOwn: true },
    { name: 'filter.mine.clean', value: 'x', isOwn: false },
    { name: 'merge.npm.driver', value: 'evil', isOwn: true },
    { name: 'merge.mine.driver', value: 'x', isOwn: false },
    { name: 'user.name', value: 'x', isOwn: true },
  ];
  expect(chooseProgramValues({ listed, every }, '/')).toEqual({
    ok: true,
    value: [
      ['filter.lfs.smudge', 'git-lfs'],
      ['filter.mine.clean', ''],
      ['merge.npm.driver', 'false'],
    ],
  });
});
