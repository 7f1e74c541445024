import { expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { claimLease } from '../../src/lib/leases/claim-lease.ts';
import { call, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { machine, pauseAt, readFiles } from './paused-ground.ts';
import { open, type Place } from './support.ts';
import { plainGround, repository, rewinder } from './undo-ground.ts';

/** A process was paused and taken over, and wakes while its successor still works. */
const bypass = { permissionMode: 'bypassPermissions', allowBypass: true } as const;

async function takeOver(at: Place, sessionId: string, commands: string[], options = {}) {
  const turns = commands.flatMap((command) => [call('Bash', { command }), say('Done.')]);
  return open(at, turns, { resume: { from: 'id', id: sessionId }, machine, ...bypass, ...options });
}

/** Programs that write down that they were started, in front of the real ones. */
function logStarts(at: Place, names: readonly string[]) {
  const directory = join(at.environment.HOME ?? '', 'shims');
  const log = join(directory, 'started');
  mkdirSync(directory, { recursive: true });
  writeFileSync(log, '');
  for (const name of names) {
    const real = Bun.which(name);
    if (real === null) continue;
    writeFileSync(join(directory, name), `#!/bin/sh\necho "${name} $*" >> '${log}'\nexec '${real}' "$@"\n`);
    chmodSync(join(directory, name), 0o755);
  }
  const environment = { ...at.environment, PATH: `${directory}:${at.environment.PATH}` };
  return { environment, read: () => readFileSync(log, 'utf8') };
}

needs('bwrap')(
  'SE1 a session that was taken over leaves the sandbox of its successor alone, while that works',
  async () => {
    const { at, sessionId, wake } = await pauseAt('confined');
    const next = await takeOver(at, sessionId, ['touch one', 'touch two'], { sandbox: true });
    await next.prompt('Continue.');
    await wake();
    await next.prompt('Again.');
    expect(['one', 'two'].filter((name) => existsSync(join(at.cwd, name)))).toEqual(['one', 'two']);
    await next.session.close();
  },
);

/** A repository with a branch beside the one that is checked out. */
function branchedRepository() {
  const ground = repository();
  ground.git('commit', '-qm', 'Staged');
  ground.git('branch', 'side', ground.git('commit-tree', '-m', 'On the side', 'HEAD^{tree}').trim());
  return ground;
}

test("SE1 a session that was taken over leaves its successor's copies of git's objects alone: a rewind finds a branch after gc", async () => {
  const ground = branchedRepository();
  const side = ground.git('rev-parse', 'side').trim();
  const { at, sessionId, wake } = await pauseAt('command', ground);
  const prune =
    'git update-ref -d refs/heads/side; git reflog expire --expire=now --all; git gc -q --prune=now';
  const next = await takeOver(at, sessionId, ['touch more', prune]);
  await next.prompt('Continue.');
  await wake();
  await next.prompt('Prune.');
  const report = await rewinder(next.session, next.prompt).rewind('Prune.');
  expect(report.beyond.join('\n')).toContain(`git update-ref refs/heads/side ${side}`);
  await next.session.close();
});

for (const point of ['spawning', 'spawning confined'])
  test(`SE1 a session paused before it starts a command (${point}), and taken over, starts no process when it wakes`, async () => {
    const ground = branchedRepository();
    const starts = logStarts(ground, ['git', 'bash', 'sh', 'bwrap']);
    const { at, sessionId, wake } = await pauseAt(point, ground, starts.environment);
    const next = await takeOver(at, sessionId, ['touch more', 'touch two']);
    await next.prompt('Continue.');
    const before = { starts: starts.read(), confined: list(at) };
    await wake();
    expect(starts.read()).toBe(before.starts);
    expect(existsSync(ground.file('forbidden'))).toBe(false);
    // The record of its own earlier command may go.
    expect(list(at).filter((name) => !before.confined.includes(name))).toEqual([]);
    await next.prompt('Again.');
    expect(existsSync(ground.file('two'))).toBe(true);
    await next.session.close();
  });

function list({ home }: Place): string[] {
  const directory = join(home, 'confined');
  return existsSync(directory) ? readdirSync(directory) : [];
}

test('SE1 a session that was taken over leaves the worktree of its agent as it is, without taking its lock', async () => {
  const ground = branchedRepository();
  const starts = logStarts(ground, ['git']);
  const { at, sessionId, wake } = await pauseAt('worktree', ground, starts.environment);
  const next = await takeOver(at, sessionId, ['true']);
  await next.prompt('Continue.');
  const states = () => [readFiles(join(at.home, 'worktrees')), statSync(ground.file('.git')).mtimeMs];
  const [before, log] = [states(), starts.read()];
  await wake();
  expect(states()).toEqual(before);
  expect(starts.read()).toBe(log);
  await next.session.close();
});

test('SE1 a session that was paused while it made a worktree does not keep its successor from making one', async () => {
  const ground = branchedRepository();
  const home = ground.environment.HOME ?? '';
  const shims = join(home, 'shims');
  mkdirSync(shims, { recursive: true });
  // The first one waits until it is ended.
  const wait = `case "$*" in *"worktree add"*) mkdir '${home}/adding' 2>/dev/null && sleep 1000 ;; esac`;
  writeFileSync(join(shims, 'git'), `#!/bin/sh\n${wait}\nexec '${Bun.which('git')}' "$@"\n`);
  chmodSync(join(shims, 'git'), 0o755);
  const environment = { ...ground.environment, PATH: `${shims}:${ground.environment.PATH}` };
  const { at, sessionId, wake } = await pauseAt('making', ground, environment);
  const job = {
    description: 'Work',
    prompt: 'Work.',
    subagent_type: 'general-purpose',
    isolation: 'worktree',
  };
  const turns = [
    call('Agent', job),
    call('Bash', { command: 'touch made-here' }),
    say('Made.'),
    say('Done.'),
  ];
  const resume = { from: 'id', id: sessionId } as const;
  const next = await open(at, turns, { resume, machine, ...bypass });
  await next.prompt('Make one.');
  const kept = JSON.stringify(next.model.requests.at(-1)?.messages);
  expect(kept).toContain('Its work is in the worktree');
  const before = readFiles(join(at.home, 'worktrees'));
  await wake();
  expect(readFiles(join(at.home, 'worktrees'))).toEqual(before);
  await next.session.close();
});

test('SE1 a session that was taken over leaves the team of its successor as it is', async () => {
  const { at, sessionId, wake } = await pauseAt('team');
  const next = await takeOver(at, sessionId, ['true']);
  await next.prompt('Continue.');
  await next.session.settled();
  const before = readFiles(join(at.home, 'teams'));
  await wake();
  const after = readFiles(join(at.home, 'teams'));
  // It may remove its own claims.
  for (const [file, content] of after) expect([file, content]).toEqual([file, before.get(file) ?? '']);
  expect([...before.keys()].filter((file) => !after.has(file))).toEqual([
    expect.stringMatching(/member-team-lead\.1\.json$/),
  ]);
  expect(next.session.team()).toMatchObject({ name: 'crew' });
  await next.session.close();
});

test('SE1 every feature of a session that was taken over is told so when it closes, and no hook and no sweep runs', async () => {
  const at = plainGround();
  const { sessionId, wake } = await pauseAt('features', at);
  const next = await takeOver(at, sessionId, ['true']);
  await next.prompt('Continue.');
  const marker = join(at.home, '.swept');
  writeFileSync(marker, '');
  utimesSync(marker, 1, 1);
  const woken = await wake();
  expect(woken.closed).toEqual({ isPassed: true });
  expect(existsSync(at.file('hook-ran'))).toBe(false);
  expect(statSync(marker).mtimeMs).toBe(1000);
  await next.session.close();
});

test('SE1 a session that was taken over while it opened its copies of files removes none of its successor', async () => {
  const { at, sessionId, wake } = await pauseAt('command', branchedRepository());
  const next = await takeOver(at, sessionId, ['touch more', 'echo more > file']);
  await next.prompt('Continue.');
  const before = readFiles(join(at.home, 'projects'));
  await wake();
  expect(readFiles(join(at.home, 'projects'))).toEqual(before);
  await next.session.close();
});

test('SE1 a session that was taken over writes nothing of its team, also before its successor has opened that', async () => {
  const { at, sessionId, running, wake } = await pauseAt('team');
  const claimed = claimLease(running, sessionId);
  expect(claimed).toMatchObject({ ok: true, value: { state: 'won' } });
  const members = () => readFiles(join(at.home, 'teams', 'crew', 'members'));
  const before = members();
  await wake();
  expect(members()).toEqual(before);
});
