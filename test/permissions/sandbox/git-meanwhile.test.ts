import { afterEach, expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { land } from '../../../src/landing/land.ts';
import { watchRunningCommands } from '../../../src/sandbox/running-commands.ts';
import { git as ownGit } from '../../../src/workspace/git/git.ts';
import { hideFromStatus } from '../../../src/workspace/git/hide-from-status.ts';
import { pinRepository } from '../../../src/workspace/git/pin-repository.ts';
import { findRunningCommands } from '../../../src/workspace/running-commands.ts';
import { createWorktree } from '../../../src/workspace/worktrees/create.ts';
import { findRepository } from '../../../src/workspace/worktrees/repository.ts';
import { leaveWorktree } from '../../../src/workspace/worktrees/worktree.ts';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { begin, git, put, type Room, room, roomIn, world } from './support.ts';

const test = needs('bwrap');
const forever = 'tail -f /dev/null';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function watched(at: Room): Room {
  ends.push(watchRunningCommands(at.home));
  return at;
}

function repository(at = watched(room())): Room {
  put(at, { 'a.txt': 'a\n', 'sub/b.txt': 'b\n', '.gitattributes': '* filter=e\n' });
  git(at.cwd, 'init', '-q');
  git(at.cwd, 'add', '.');
  git(at.cwd, 'commit', '-qm', 'first');
  return at;
}

/** A command that has done its work and goes on. */
async function meanwhile(at: Room, work: string): Promise<{ end(): Promise<unknown> }> {
  const running = await begin(at, `( ${work} ) >/dev/null 2>&1; touch done; ${forever}`);
  ends.push(() => running.end());
  while (!existsSync(join(at.cwd, 'done'))) await Bun.sleep(5);
  return running;
}

const order = (cwd: string, slug = 'one') => ({
  ...{ cwd, slug, session: 's', agentId: null },
  fill: { copyDirectories: [], linkDirectories: [], sandboxed: true },
});

const problemOf = (result: { ok: boolean; problem?: { message: string } }) =>
  result.ok ? 'done' : result.problem?.message;

const pointerOf = ({ cwd }: Room) => readFileSync(join(cwd, '.cadre/worktrees/one/.git'), 'utf8');

/** What a command can do about the filter of its own settings, in a directory of its own. */
const evil = ({ cwd }: Room) =>
  `mkdir -p evil/info; ln -s ../.git/refs evil/refs; ln -s ../.git/objects evil/objects; ` +
  `printf '[filter "e"]\\n\\tsmudge = sh ${cwd}/ran.sh\\n\\tclean = sh ${cwd}/ran.sh\\n' > evil/config; ` +
  `printf 'touch ${cwd}/ran; cat\\n' > ran.sh`;

test('settings that a running command leads git to by a commondir are not read', async () => {
  const at = repository();
  await meanwhile(at, `${evil(at)}; echo ../evil > .git/commondir`);
  const made = await createWorktree(order(at.cwd), world(at));
  expect(problemOf(made)).toBe('done');
  expect(existsSync(join(at.cwd, 'ran'))).toBe(false);
  expect(pointerOf(at)).toBe(`gitdir: ${at.cwd}/.git/worktrees/one\n`);
});

test('git is held to the judged directories from before a commondir is there', async () => {
  const at = repository();
  await meanwhile(at, 'true');
  const running = await findRunningCommands();
  if (!running) throw new Error('nothing runs');
  const place = { cwd: at.cwd, env: world(at).env };
  const own = join(at.cwd, '.git');
  expect(pinRepository(place, running)).toEqual({ ok: true, value: { GIT_COMMON_DIR: own } });
  // Below the top a nearer `.git` could come before it.
  expect(pinRepository({ ...place, cwd: join(at.cwd, 'sub') }, running)).toEqual({
    ok: true,
    value: { GIT_COMMON_DIR: own, GIT_DIR: own, GIT_WORK_TREE: at.cwd },
  });
});

test('a repository that a running command made is not used', async () => {
  for (const place of ['', 'sub']) {
    const at = watched(room());
    put(at, { 'a.txt': 'a\n', 'sub/b.txt': 'b\n' });
    const cwd = join(at.cwd, place);
    await meanwhile(
      at,
      `${evil(at)}; cd ./${place}; git init -q .; git add .; git -c user.name=a -c user.email=a@b commit -qm 1; ` +
        `cat ${at.cwd}/evil/config >> .git/config; echo '* filter=e' > .git/info/attributes`,
    );
    expect(existsSync(join(cwd, '.git/config'))).toBe(true);
    expect(problemOf(await createWorktree(order(cwd), world(at)))).toContain(
      `${join(cwd, '.git')} may be the work of a confined command that still runs`,
    );
    expect(problemOf(await ownGit(['status'], { ...world(at), cwd }))).toContain('may be the work');
    expect(existsSync(join(at.cwd, 'ran'))).toBe(false);
  }
});

test('where there is no repository git finds none that appears in the next moment', async () => {
  const at = watched(room());
  await meanwhile(at, 'true');
  const running = await findRunningCommands();
  if (!running) throw new Error('nothing runs');
  const pinned = pinRepository({ cwd: at.cwd, env: {} }, running);
  expect(pinned).toEqual({ ok: true, value: { GIT_DIR: '/dev/null' } });
  expect(problemOf(await createWorktree(order(at.cwd), world(at)))).toContain('is not in a git repository');
});

test('settings that git includes and that a running command could make keep git from being run', async () => {
  for (const [what, prepare] of Object.entries({
    include: (at: Room) => appendFileSync(join(at.cwd, '.git/config'), '[include]\n\tpath = ../more\n'),
    worktree: (at: Room) => git(at.cwd, 'config', 'extensions.worktreeConfig', 'true'),
    none: (at: Room) => rmSync(join(at.cwd, '.git/config')),
  })) {
    const at = repository();
    prepare(at);
    const status = () => ownGit(['status', '--short'], { ...world(at), cwd: at.cwd });
    const before = await meanwhile(at, 'true');
    expect([what, problemOf(await status())]).toEqual([what, expect.stringContaining('may be the work')]);
    await before.end();
    expect([what, problemOf(await status())]).toEqual([what, 'done']);
  }
});

test('settings that were there before the command are read as ever', async () => {
  const at = repository();
  put(at, { more: '[user]\n\tname = More\n' });
  appendFileSync(join(at.cwd, '.git/config'), '[include]\n\tpath = ../more\n');
  await meanwhile(at, 'true');
  const name = await ownGit(['config', 'user.name'], { ...world(at), cwd: join(at.cwd, 'sub') });
  expect(name.ok ? name.value : problemOf(name)).toBe('More\n');
});

test("a command of another session, with another home, counts like one's own", async () => {
  const { path } = temporaryDirectory();
  const at = repository(watched(roomIn(path)));
  const other = { ...roomIn(join(path, 'other')), cwd: at.cwd };
  await meanwhile(other, `${evil(at)}; echo ../evil > .git/commondir`);
  expect(problemOf(await createWorktree(order(at.cwd), world(at)))).toBe('done');
  expect(pointerOf(at)).toBe(`gitdir: ${at.cwd}/.git/worktrees/one\n`);
});

test('worktrees, submodules and the work in them go on beside a command', async () => {
  const at = repository();
  const { path: library } = temporaryDirectory();
  git(library, 'init', '-q');
  writeFileSync(join(library, 'l.txt'), 'l\n');
  git(library, 'add', '.');
  git(library, 'commit', '-qm', 'library');
  git(at.cwd, 'submodule', '--quiet', 'add', library, 'lib');
  git(at.cwd, 'commit', '-qm', 'lib');
  await meanwhile(at, 'echo c > c.txt; git add c.txt; git -c user.name=a -c user.email=a@b commit -qm c');
  const made = await createWorktree(order(at.cwd), world(at));
  expect(made.ok ? made.value.notes : made.problem).toEqual([]);
  const below = await createWorktree(order(join(at.cwd, 'sub'), 'two'), world(at));
  expect(below.ok ? below.value.notes : below.problem).toEqual([]);
  const path = join(at.cwd, '.cadre/worktrees/one');
  expect(readFileSync(join(path, 'lib/l.txt'), 'utf8')).toBe('l\n');
  const inside = world(at);
  for (const cwd of [path, join(path, 'sub'), join(path, 'lib'), at.cwd, join(at.cwd, 'lib')])
    expect([cwd, problemOf(await ownGit(['status', '--short'], { ...inside, cwd }))]).toEqual([cwd, 'done']);
  const top = await ownGit(['rev-parse', '--show-toplevel'], { ...inside, cwd: join(at.cwd, 'sub') });
  expect(top.ok ? top.value : problemOf(top)).toBe(`${at.cwd}\n`);
});

test("git's private list is not written through a link that a running command could have made", async () => {
  const made: Record<string, string> = {
    file: 'ln -s $KEEP/list .git/info/exclude',
    'no file': 'ln -s $KEEP/new .git/info/exclude',
    directory: 'mkdir -p $KEEP; rm -rf .git/info; ln -s $KEEP .git/info',
  };
  for (const [what, work] of Object.entries(made)) {
    const at = repository();
    const outside = join(at.userHome, 'keep');
    mkdirSync(outside, { recursive: true });
    writeFileSync(join(outside, 'list'), 'mine\n');
    rmSync(join(at.cwd, '.git/info'), { recursive: true });
    mkdirSync(join(at.cwd, '.git/info'));
    const running = await begin(at, forever);
    ends.push(() => running.end());
    // As one that the command makes right before: inside, the name is closed.
    spawnSync('sh', ['-c', `KEEP=${outside}; ${work}`], { cwd: at.cwd });
    const written = hideFromStatus(join(at.cwd, '.git'), '/x', await findRunningCommands());
    expect([what, problemOf(written)]).toEqual([
      what,
      expect.stringContaining('was not written: it is a link'),
    ]);
    expect([what, readdirSync(outside), readFileSync(join(outside, 'list'), 'utf8')]).toEqual([
      what,
      ['list'],
      'mine\n',
    ]);
  }
});

test("git's private list that the user shares by a link is written where nothing runs", async () => {
  const at = repository();
  writeFileSync(join(at.userHome, 'list'), 'mine');
  rmSync(join(at.cwd, '.git/info/exclude'), { force: true });
  symlinkSync(join(at.userHome, 'list'), join(at.cwd, '.git/info/exclude'));
  expect(problemOf(hideFromStatus(join(at.cwd, '.git'), '/x', await findRunningCommands()))).toBe('done');
  expect(readFileSync(join(at.userHome, 'list'), 'utf8')).toBe('mine\n/x\n');
});

test('git writes no log, reference or index through a link that a running command made', async () => {
  const made = {
    log: 'mkdir -p .git/logs/refs/heads/cadre/one; ln -s $KEEP/work .git/logs/refs/heads/cadre/one/work',
    'directory of logs': 'mkdir -p .git/logs/refs/heads; ln -s $KEEP .git/logs/refs/heads/cadre',
    references: 'ln -s $KEEP .git/refs/heads/cadre',
    'log of the head': 'rm -f .git/logs/HEAD; ln -s $KEEP/work .git/logs/HEAD',
    index: 'rm -f .git/index; ln -s $KEEP/work .git/index',
    objects: 'ln -s $KEEP .git/objects/zz',
  };
  for (const [what, work] of Object.entries(made)) {
    const at = repository();
    const keep = join(at.userHome, 'keep');
    mkdirSync(keep, { recursive: true });
    writeFileSync(join(keep, 'work'), 'mine\n');
    await meanwhile(at, `KEEP=${keep}; ${work}`);
    const run = (...args: string[]) => ownGit(args, { ...world(at), cwd: at.cwd });
    const problems = [
      problemOf(await createWorktree(order(at.cwd), world(at))),
      problemOf(await run('update-ref', '-m', 'cadre: land', 'HEAD', 'HEAD')),
      problemOf(await run('update-ref', '-d', 'refs/heads/cadre/one/work')),
    ];
    const refused = expect.stringContaining("Git's own data was found behind a link");
    expect([what, ...problems]).toEqual([what, refused, refused, refused]);
    expect([what, readdirSync(keep), readFileSync(join(keep, 'work'), 'utf8')]).toEqual([
      what,
      ['work'],
      'mine\n',
    ]);
  }
});

test('git writes nothing outside by a link that is there only while it runs', async () => {
  const links = {
    'directory of references': 'ln -s $KEEP .git/refs/heads/cadre; run; rm .git/refs/heads/cadre',
    'directory of logs': 'ln -s $KEEP .git/logs/refs/heads/cadre; run; rm .git/logs/refs/heads/cadre',
    'log of the head':
      'mv .git/logs/HEAD .git/was; ln -s $KEEP/work .git/logs/HEAD; run; mv -f .git/was .git/logs/HEAD',
    settings:
      'mv .git/logs/HEAD .git/was; ln -s ../config .git/logs/HEAD; run; mv -f .git/was .git/logs/HEAD',
  };
  for (const [what, line] of Object.entries(links)) {
    const at = repository();
    const [keep, programs] = [join(at.userHome, 'keep'), join(at.userHome, 'programs')];
    for (const path of [keep, programs]) mkdirSync(path, { recursive: true });
    writeFileSync(join(keep, 'work'), 'mine\n');
    await meanwhile(at, 'true');
    // In the place of a command that hits the very moment.
    const { env } = world(at);
    const real = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();
    const writes = 'case " $* " in *" update-ref "*|*" worktree add "*)';
    writeFileSync(
      join(programs, 'git'),
      `#!/bin/sh\nKEEP=${keep}; cd ${at.cwd}\nrun() { ${real} "$@"; }\n` +
        `${writes} ${line.replace('run;', 'run "$@"; code=$?;')}; exit $code;; esac\ncd "$OLDPWD"; exec ${real} "$@"\n`,
      { mode: 0o755 },
    );
    const settings = readFileSync(join(at.cwd, '.git/config'), 'utf8');
    const given = { ...world(at), env: { ...env, PATH: `${programs}:${env.PATH}` } };
    const created = await createWorktree(order(at.cwd), given);
    await ownGit(['update-ref', '-m', 'cadre: land', 'HEAD', 'HEAD'], { ...given, cwd: at.cwd });
    expect([what, readdirSync(keep), readFileSync(join(keep, 'work'), 'utf8')]).toEqual([
      ...[what, ['work'], 'mine\n'],
    ]);
    expect([what, readFileSync(join(at.cwd, '.git/config'), 'utf8')]).toEqual([what, settings]);
    expect([what, created.ok]).toEqual([what, what !== 'directory of references']);
  }
});

test('git creates no log of a new branch while a command runs that could lead it elsewhere', async () => {
  const at = repository();
  const running = await meanwhile(at, 'true');
  const logs = () => existsSync(join(at.cwd, '.git/logs/refs/heads/cadre'));
  expect(problemOf(await createWorktree(order(at.cwd), world(at)))).toBe('done');
  expect(logs()).toBe(false);
  await running.end();
  expect(problemOf(await createWorktree(order(at.cwd, 'two'), world(at)))).toBe('done');
  expect(logs()).toBe(true);
});

test('work is landed, and its worktrees removed, beside a running command as ever', async () => {
  const at = repository();
  git(at.cwd, 'config', 'user.name', 'User');
  git(at.cwd, 'config', 'user.email', 'user@example.invalid');
  await meanwhile(at, 'true');
  const found = await findRepository(at.cwd, world(at));
  if (!found.ok) throw new Error(found.problem.message);
  const ground = { repository: found.value, world: world(at), fill: order(at.cwd).fill };
  for (const slug of ['one', 'two']) {
    const made = await createWorktree(order(at.cwd, slug), world(at));
    if (!made.ok) throw new Error(made.problem.message);
    const { path } = made.value.record;
    writeFileSync(join(path, `${slug}.txt`), `${slug}\n`);
    const committed = await ownGit(['add', '--all'], { ...world(at), cwd: path });
    expect(problemOf(committed)).toBe('done');
    await leaveWorktree(made.value.record, world(at));
  }
  const report = await land(ground, { agree: async () => true });
  if (!report.ok) throw new Error(report.problem.message);
  expect(report.value.landings.map(({ status }) => status)).toEqual(['landed', 'landed']);
  expect(readdirSync(join(at.cwd, '.cadre/worktrees'))).toEqual([]);
  expect(readFileSync(join(at.cwd, 'one.txt'), 'utf8')).toBe('one\n');
  expect(git(at.cwd, 'status', '--porcelain', '--untracked-files=no')).toBe('');
});
