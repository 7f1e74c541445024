import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { mustHave } from '../store/build.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { open } from './support.ts';
import { anything, plainGround, repository, rewinder, runCommands, runGit } from './undo-ground.ts';

const destructive = [
  'rm -rf src',
  'rm -rf src README.md .gitignore',
  'find . -name "*.txt" -delete',
  'find src -type f -exec sed -i "s/^/x/" {} +',
  'for f in src/*.txt; do echo more >> "$f"; done',
  '> src/a.txt; > src/b.txt; > src/new.txt',
  'truncate -s 3 src/*.txt README.md',
  'mv src lib',
  'mv src/a.txt src/moved.txt; mv src/new.txt elsewhere.txt',
  'cp src/a.txt src/b.txt',
  'chmod 600 src/run.sh README.md src/new.txt',
  'rm src/link; ln -s b.txt src/link',
  'rm src/a.txt; ln -s b.txt src/a.txt',
  'rm src/link; echo plain > src/link',
  'rm src/a.txt; mkdir src/a.txt; echo in > src/a.txt/in',
  'rm -rf src; echo file > src',
  'mv src other; ln -s other src',
  'git checkout -q .',
  'git reset -q --hard',
  'git stash -q -u',
  'git clean -qfd',
  'git rm -rqf src',
  'git -c user.name=T -c user.email=t@e commit -qam more; rm -rf src',
  'git checkout -q -f -b other; rm -rf src; git add -A; git -c user.name=T -c user.email=t@e commit -qm gone',
  'mkdir -p a/b/c; for i in $(seq 1 300); do echo $i > a/b/c/$i; done',
  'rm -rf src; mkdir src; echo other > src/a.txt; rm -f .git/index',
];

for (const [where, options, tested] of [
  ['without a sandbox', {}, test],
  ['in the sandbox', { sandbox: true }, needs('bwrap')],
] as const)
  describe(where, () => {
    for (const command of destructive)
      tested(`all is as it was before: ${command}`, async () => {
        const ground = repository();
        const before = ground.tree();
        const { session, rewind, seen } = await runCommands(ground, [command], options);
        expect({ seen: seen(), tree: ground.tree() }).not.toEqual({ seen: seen(), tree: before });
        const [point] = mustHave(await session.checkpoints());
        expect(point?.filesChanged).toBeGreaterThan(0);
        const { refused } = await rewind(command);
        expect(refused).toEqual([]);
        expect(ground.tree()).toEqual(before);
        await session.close();
      });
  });

test('going back can be gone back behind, also what commands did', async () => {
  const ground = repository();
  const { session, rewind } = await runCommands(ground, [
    'rm -rf src; echo made > made.txt; ln -s made.txt l',
  ]);
  const after = ground.tree();
  await rewind('rm -rf src; echo made > made.txt; ln -s made.txt l');
  const undo = mustHave(await session.checkpoints()).at(-1);
  expect(undo).toMatchObject({ kind: 'rewind' });
  mustHave(await session.rewind({ to: undo?.uuid ?? '', what: 'files' }));
  expect(ground.tree()).toEqual(after);
  await session.close();
});

test('a new file that is too large to be recorded goes, unless it was changed since', async () => {
  const ground = repository();
  const before = ground.tree();
  const command = 'head -c 12000000 /dev/zero > large; head -c 12000000 /dev/zero > mine';
  const { session, rewind } = await runCommands(ground, [command]);
  appendFileSync(ground.file('mine'), 'by me');
  const { removed, refused } = await rewind(command);
  expect(removed).toEqual([ground.file('large')]);
  expect(refused).toMatchObject([{ path: ground.file('mine'), needsForce: true }]);
  rmSync(ground.file('mine'));
  expect(ground.tree()).toEqual(before);
  await session.close();
});

/** Until the file system's clock is surely past the last change of a file: what comes now is told from it by its time. */
async function untilLater(file: string): Promise<void> {
  const { path } = temporaryDirectory();
  do {
    await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(join(path, 'probe'), '');
  } while (statSync(join(path, 'probe')).ctimeMs <= statSync(file).ctimeMs + 50);
}

test('force does not overwrite a file whose content at the point is not known', async () => {
  const ground = plainGround();
  ground.write('x', 'orig\n');
  const turns = ['true', 'echo more >> x'].flatMap((command) => [call('Bash', { command }), say('Done.')]);
  const { session, prompt } = await open(ground, turns, anything);
  const { rewind } = rewinder(session, prompt);
  await prompt('first');
  ground.write('x', 'orig\nmine\n');
  await untilLater(ground.file('x'));
  await prompt('second');
  ground.write('x', 'orig\n');
  const { restored, refused } = await rewind('first', { force: true });
  expect(restored).toEqual([]);
  expect(refused).toMatchObject([{ path: ground.file('x'), reason: expect.stringContaining('is unknown') }]);
  expect(readFileSync(ground.file('x'), 'utf8')).toBe('orig\n');
  await session.close();
});

test('each prompt has its own state, and its own count of files', async () => {
  const ground = repository();
  const commands = ['echo one > src/a.txt', 'echo two > src/a.txt; rm README.md', 'cat src/a.txt'];
  const states = [ground.tree()];
  const { session, rewind, to } = await runCommands(ground, commands);
  const points = mustHave(await session.checkpoints());
  expect(points.map(({ filesChanged, isAtLeast }) => [filesChanged, isAtLeast])).toEqual([
    [2, false],
    [2, false],
    [0, false],
  ]);
  expect(points.map(({ commands: count }) => count)).toEqual([2, 1, 0]);
  await rewind('echo two > src/a.txt; rm README.md');
  expect(readFileSync(ground.file('src/a.txt'), 'utf8')).toBe('one\n');
  expect(await to('echo one > src/a.txt')).toBe(points[0]?.uuid ?? '');
  await rewind('echo one > src/a.txt');
  expect(ground.tree()).toEqual(states[0] ?? {});
  await session.close();
});

test('a directory in no repository', async () => {
  const ground = plainGround();
  ground.write('data/one.csv', '1');
  ground.write('two.csv', '2', 0o600);
  const before = ground.tree();
  const { session, rewind } = await runCommands(ground, ['rm -rf data two.csv; echo x > three']);
  expect((await rewind('rm -rf data two.csv; echo x > three')).refused).toEqual([]);
  expect(ground.tree()).toEqual(before);
  await session.close();
});

test('an empty directory: the first file that a command makes is removed again', async () => {
  const ground = plainGround();
  mkdirSync(ground.file('empty/deep'), { recursive: true });
  const { session, rewind } = await runCommands(ground, ['echo x > empty/deep/x; echo y > y']);
  const { removed } = await rewind('echo x > empty/deep/x; echo y > y');
  expect(removed.toSorted()).toEqual([ground.file('empty/deep/x'), ground.file('y')]);
  await session.close();
});

test('repositories inside the repository and submodules are covered with it', async () => {
  const ground = repository();
  const other = plainGround();
  other.write('lib.c', 'int x;\n');
  other.git('init', '-q');
  other.git('add', '-A');
  other.git('commit', '-qm', 'Start');
  ground.git('submodule', '--quiet', 'add', other.cwd, 'sub');
  mkdirSync(ground.file('nested'));
  runGit(ground.file('nested'), ['init', '-q']);
  ground.write('nested/inner.txt', 'inner\n');
  ground.write('sub/changed.c', 'mine\n');
  const before = ground.tree();
  const command = 'rm -f sub/*.c nested/inner.txt; echo new > nested/new.txt';
  const { session, rewind } = await runCommands(ground, [command]);
  expect((await rewind(command)).refused).toEqual([]);
  expect(ground.tree()).toEqual(before);
  await session.close();
});

test('names of every kind', async () => {
  const ground = plainGround();
  for (const name of [' a', 'b\nc', '-rf', 'q"uo\'te', 'ü\u{1F600}', '*', 'a\\b', '$x', 'tab\t'])
    ground.write(`odd/${name}`, name);
  ground.git('init', '-q');
  const before = ground.tree();
  const { session, rewind } = await runCommands(ground, ['rm -rf odd']);
  expect((await rewind('rm -rf odd')).restored).toHaveLength(9);
  expect(ground.tree()).toEqual(before);
  await session.close();
});

test('a name that is not text is not covered, and that is said', async () => {
  const ground = repository();
  runSh(ground.cwd, 'printf x > "$(printf "src/\\377")"');
  const { session, rewind, to } = await runCommands(ground, ['rm -rf src']);
  const preview = mustHave(await session.previewRewind({ to: await to('rm -rf src'), what: 'files' }));
  expect(preview.beyond.join('\n')).toContain('More may have changed');
  expect((await rewind('rm -rf src')).restored.length).toBeGreaterThan(5);
  await session.close();
});

test('ignored files are not covered: that they changed is said, and "0 files" is not', async () => {
  const ground = repository();
  ground.write('ignored/cache', 'x');
  ground.write('debug.log', 'x');
  ground.write('old.log', 'x');
  const command = 'rm -rf ignored debug.log; echo y > old.log';
  const { session, rewind } = await runCommands(ground, [command]);
  const [point] = mustHave(await session.checkpoints());
  expect(point).toMatchObject({ filesChanged: 0, commands: 1, isAtLeast: true });
  const { beyond, isIncomplete } = await rewind(command);
  expect(beyond).toContain(`Changed since then, but not covered: ${ground.file('old.log')}.`);
  const missing = beyond.find((line) => line.startsWith('Missing now, but not covered: '));
  expect(missing).toContain(ground.file('debug.log'));
  expect(isIncomplete).toBe(true);
  expect(existsSync(ground.file('debug.log'))).toBe(false);
  await session.close();
});

test('a file that is too large is named, and left', async () => {
  const ground = repository();
  writeFileSync(ground.file('large.bin'), Buffer.alloc(11 * 1024 * 1024, 1));
  const { session, rewind } = await runCommands(ground, ['rm large.bin']);
  const [point] = mustHave(await session.checkpoints());
  expect(point).toMatchObject({ filesChanged: 1 });
  expect((await rewind('rm large.bin')).refused).toMatchObject([
    {
      path: ground.file('large.bin'),
      reason: 'its content then was not kept: it was 11 MB, and files above 10 MB are not kept.',
    },
  ]);
  await session.close();
});

test('what git converts is not taken from git', async () => {
  const ground = plainGround();
  ground.git('init', '-q');
  ground.git('config', 'filter.swap.clean', 'tr ab ba');
  ground.git('config', 'filter.swap.smudge', 'tr ab ba');
  ground.write('.gitattributes', '*.swap filter=swap\n*.crlf text eol=crlf\n');
  ground.write('x.swap', 'aaab');
  ground.write('y.crlf', 'one\r\ntwo\r\n');
  ground.git('add', '-A');
  ground.git('commit', '-qm', 'Start');
  const before = ground.tree();
  const { session, rewind } = await runCommands(ground, ['rm x.swap y.crlf']);
  await rewind('rm x.swap y.crlf');
  expect(ground.tree()).toEqual(before);
  await session.close();
});

test('when git itself is removed too, what only git had is named, unless its content was kept', async () => {
  const ground = repository();
  ground.write('src/old.txt', 'only git has it\n');
  // Older than the index, so that git knows it to be unchanged.
  utimesSync(ground.file('src/old.txt'), 1_000_000_000, 1_000_000_000);
  ground.git('add', '-A');
  ground.git('commit', '-qm', 'More');
  const { session, rewind } = await runCommands(ground, ['rm -rf src .git']);
  const { refused } = await rewind('rm -rf src .git');
  // Content is kept too where the index is too young to tell that the file is unchanged.
  const path = ground.file('src/old.txt');
  const outcome = existsSync(path)
    ? readFileSync(path, 'utf8')
    : refused.find((one) => one.path === path)?.reason;
  expect(outcome).toMatch(/^only git has it\n$|git no longer has its content/);
  await session.close();
});

test("the user's own change after a command is not overwritten; theirs before it comes back", async () => {
  const ground = repository();
  const { session, rewind } = await runCommands(ground, ['echo cmd > src/a.txt; echo made > made.txt']);
  writeFileSync(ground.file('made.txt'), 'now it is mine\n');
  const { refused } = await rewind('echo cmd > src/a.txt; echo made > made.txt');
  expect(refused).toMatchObject([{ path: ground.file('made.txt'), needsForce: true }]);
  expect(readFileSync(ground.file('made.txt'), 'utf8')).toBe('now it is mine\n');
  expect(readFileSync(ground.file('src/a.txt'), 'utf8')).toBe('first of a.txt\n');
  await session.close();
});

test("the user's work between two prompts on files that no command touched is not of interest", async () => {
  const ground = repository();
  const { session, rewind } = await runCommands(ground, ['echo one > src/one.txt']);
  writeFileSync(ground.file('src/b.txt'), 'edited by hand\n');
  const { refused, restored, removed } = await rewind('echo one > src/one.txt');
  expect([refused, restored, removed]).toEqual([[], [], [ground.file('src/one.txt')]]);
  expect(readFileSync(ground.file('src/b.txt'), 'utf8')).toBe('edited by hand\n');
  await session.close();
});

test('links are never followed: what they lead to stays as it is', async () => {
  const ground = repository();
  const outside = plainGround();
  outside.write('theirs.txt', 'theirs\n');
  symlinkSync(outside.cwd, ground.file('way'));
  const { session, rewind } = await runCommands(ground, ['echo bad > way/theirs.txt; rm way']);
  const { restored } = await rewind('echo bad > way/theirs.txt; rm way');
  expect(restored).toEqual([ground.file('way')]);
  expect(readFileSync(outside.file('theirs.txt'), 'utf8')).toBe('bad\n');
  await session.close();
});

test('a link that takes the place of a directory later is not followed when files go back', async () => {
  const ground = repository();
  const outside = plainGround();
  outside.write('a.txt', 'theirs\n');
  const { session, rewind } = await runCommands(ground, ['echo x > src/a.txt']);
  rmSync(ground.file('src'), { recursive: true });
  symlinkSync(outside.cwd, ground.file('src'));
  expect((await rewind('echo x > src/a.txt', { force: true })).refused).toMatchObject([{ isLink: true }]);
  expect(readFileSync(outside.file('a.txt'), 'utf8')).toBe('theirs\n');
  await session.close();
});

test('a file in a directory that nobody may write comes back with its permissions', async () => {
  const ground = repository();
  ground.write('closed/in.txt', 'in\n', 0o400);
  chmodSync(ground.file('closed'), 0o555);
  const before = ground.tree();
  const command =
    'chmod 700 closed && echo more >> closed/in.txt; chmod 600 closed/in.txt; echo x > closed/in.txt';
  const { session, rewind } = await runCommands(ground, [command]);
  await rewind(command);
  expect(ground.tree()).toEqual(before);
  await session.close();
});

function runSh(cwd: string, command: string): void {
  if (Bun.spawnSync(['sh', '-c', command], { cwd }).exitCode !== 0) throw new Error(command);
}

test('references of git that commands moved are named in the report, with the commands that bring them back', async () => {
  const ground = repository();
  ground.git('branch', 'other');
  const [main, other] = ['main', 'other'].map((name) => ground.git('rev-parse', name).trim());
  const { session, rewind } = await runCommands(ground, [
    'git checkout -qb topic; git -c user.name=T -c user.email=t commit -qm more --allow-empty',
    "git branch -qD other; git branch 'odd;name$(x)'",
    'git branch -qf main topic',
  ]);
  const report = await rewind(
    'git checkout -qb topic; git -c user.name=T -c user.email=t commit -qm more --allow-empty',
  );
  const said = report.beyond.join('\n');
  expect(said).toContain(
    'HEAD was refs/heads/main and is refs/heads/topic (git symbolic-ref HEAD refs/heads/main)',
  );
  expect(said).toContain(`(git update-ref refs/heads/other ${other})`);
  expect(said).toContain(`(git update-ref refs/heads/main ${main})`);
  expect(said).toContain("(git update-ref -d 'refs/heads/odd;name$(x)')");
  expect(report.isIncomplete).toBe(false);
  for (const [, command = ''] of said.matchAll(/\((git [^\n]*?)\)(?=[;.])/g))
    spawnSync('bash', ['-c', command], { cwd: ground.cwd });
  expect(ground.git('rev-parse', 'main', 'other').trim().split('\n')).toEqual([main ?? '', other ?? '']);
  expect(ground.git('symbolic-ref', 'HEAD').trim()).toBe('refs/heads/main');
  expect(ground.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').trim().split('\n')).toEqual([
    'main',
    'other',
  ]);
  await session.close();
});
