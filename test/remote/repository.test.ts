import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import { maxRowBytes } from '../../src/remote/engine.ts';
import { memoryEngine, memoryServer } from '../../src/remote/engines/memory.ts';
import { openJobKey } from '../../src/remote/keys.ts';
import { nameRepository, receiveHistory, sendHistory } from '../../src/remote/repository.ts';
import { bindGit } from '../../src/workspace/worktrees/repository.ts';
import { temporaryDirectory } from '../support/index.ts';
import { get } from './support.ts';

function openRepository(path = temporaryDirectory().path) {
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: path,
      encoding: 'utf8',
    }).trim();
  run('init', '-q', '-b', 'main');
  const git = bindGit({ home: path, env: { PATH: process.env.PATH ?? '' }, clock: systemClock }, path);
  const commit = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(path, name), content);
    run('add', '-A');
    run('commit', '-q', '-m', name);
    return run('rev-parse', 'HEAD');
  };
  return { path, run, git, commit };
}

test('RM3: a repository travels as git objects, and only what is new is sent again', async () => {
  const server = memoryServer(manualClock());
  const engine = memoryEngine(server);
  const key = get(openJobKey(temporaryDirectory().path));
  const [from, to] = [openRepository(), openRepository()];
  // More than one row.
  const first = from.commit('large', randomBytes(3 * maxRowBytes));
  const name = get(await nameRepository(from.git, first));
  get(await sendHistory(engine, key, name, { git: from.git, ref: 'refs/heads/main', tip: first }));
  const known = new Set([key.name]);
  get(await receiveHistory(engine, known, name, { git: to.git, tip: first }));
  expect(to.run('ls-tree', '--name-only', first)).toBe('large');

  const before = countBytes();
  const second = from.commit('small', 'x');
  expect(get(await nameRepository(from.git, second))).toBe(name);
  get(await sendHistory(engine, key, name, { git: from.git, ref: 'refs/heads/main', tip: second }));
  expect(countBytes() - before).toBeLessThan(2000);
  const sent = countBytes();
  get(await sendHistory(engine, key, name, { git: from.git, ref: 'refs/heads/main', tip: second }));
  expect(countBytes()).toBe(sent);

  const late = openRepository();
  for (const one of [to, late]) {
    get(await receiveHistory(engine, known, name, { git: one.git, tip: second }));
    expect(one.run('rev-list', '--count', second)).toBe('2');
  }

  function countBytes(): number {
    const streams = [...server.rows.values()].flatMap((rows) => [...rows.streams.values()]);
    return streams.flatMap(({ bodies }) => bodies).reduce((sum, body) => sum + body.length, 0);
  }
});

test('RM3: a repository that is sent again counts as used, although nothing of it is new', async () => {
  const engine = memoryEngine(memoryServer(manualClock()));
  const key = get(openJobKey(temporaryDirectory().path));
  const from = openRepository();
  const tip = from.commit('a', 'x');
  const used: string[] = [];
  const append: typeof engine.append = (id, ...rest) => {
    used.push(id);
    return engine.append(id, ...rest);
  };
  for (let time = 0; time < 2; time++) {
    used.length = 0;
    get(
      await sendHistory({ ...engine, append }, key, 'name', { git: from.git, ref: 'refs/heads/main', tip }),
    );
    expect(used).toContain('name');
  }
});

test('a history that no trusted key signed is not unpacked', async () => {
  const engine = memoryEngine(memoryServer(manualClock()));
  const [mine, theirs] = [temporaryDirectory().path, temporaryDirectory().path].map((home) =>
    get(openJobKey(home)),
  );
  const [from, to] = [openRepository(), openRepository()];
  const tip = from.commit('a', 'a');
  const name = get(await nameRepository(from.git, tip));
  if (!mine || !theirs) throw new Error('no keys');
  get(await sendHistory(engine, theirs, name, { git: from.git, ref: 'refs/heads/main', tip }));
  const refused = await receiveHistory(engine, new Set([mine.name]), name, { git: to.git, tip });
  expect(refused.ok ? '' : refused.problem.message).toContain('signed by a key that is trusted here');
});
