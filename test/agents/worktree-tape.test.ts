import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say, scriptedModel, type Turn } from '../../src/testing/index.ts';
import { follow, type Place, place } from '../session/support.ts';
import { needs } from '../support/index.ts';

const gitTest = needs('git');

function repository(): Place {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  mkdirSync(at.home, { recursive: true });
  writeFileSync(join(at.cwd, 'a.txt'), 'one\n');
  writeFileSync(join(at.home, '..', '.gitconfig'), '[user]\n\tname = T\n\temail = t@example.invalid\n');
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], { cwd: at.cwd });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=Start');
  return at;
}

async function run(at: Place, options: SessionOptions, prompt?: string) {
  const opened = await openSession({
    ...{ cwd: at.cwd, environment: at.environment, sandbox: false, permissionMode: 'bypassPermissions' },
    ...options,
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  const { session, events } = follow(opened.value, undefined as never);
  const begun = Promise.withResolvers<void>();
  void (async () => {
    for await (const event of session.events()) if (event.type === 'run_started') begun.resolve();
  })();
  if (prompt === undefined) for (const command of session.recorded()) session.send(command);
  else session.send({ type: 'prompt', content: prompt });
  await begun.promise;
  await session.finished(AbortSignal.timeout(20_000));
  const closed = await session.close();
  return { closed, events };
}

async function recordAndReplay(turns: Turn[], options: SessionOptions = {}) {
  const at = repository();
  const tape = join(dirname(at.cwd), 'run.tape');
  const model = scriptedModel(turns);
  const recorded = await run(at, { model, record: tape, ...options }, 'Begin.');
  expect(recorded.closed).toMatchObject({ ok: true });
  model.assertConsumed();
  const there = place();
  mkdirSync(there.cwd, { recursive: true });
  writeFileSync(join(there.cwd, 'a.txt'), 'one\n');
  const replayed = await run(there, { replay: tape });
  return { at, there, recorded, replayed };
}

const ends = ({ events }: { events: { type: string }[] }) =>
  events.filter(({ type }) => type === 'run_ended' || type === 'tool_ended').length;

gitTest('G10 an agent in a worktree of its own, landed, replays where there is no repository', async () => {
  const { at, there, recorded, replayed } = await recordAndReplay([
    call('Agent', { description: 'Mend it', prompt: 'Work', isolation: 'worktree' }),
    call('Write', { file_path: 'b.txt', content: 'two\n' }),
    say('Mended.'),
    call('Land', { action: 'land' }),
    say('Landed.'),
  ]);
  expect(readFileSync(join(at.cwd, 'b.txt'), 'utf8')).toBe('two\n');
  expect(replayed.closed).toEqual({ ok: true, value: undefined });
  expect(ends(replayed)).toBe(ends(recorded));
  expect(existsSync(join(there.cwd, 'b.txt'))).toBe(false);
  expect(existsSync(join(there.cwd, '.cadre'))).toBe(false);
});

gitTest('G10 a lead that enters a worktree and leaves it replays', async () => {
  const { there, replayed } = await recordAndReplay([
    call('EnterWorktree', { name: 'apart' }),
    call('Write', { file_path: 'c.txt', content: 'three\n' }),
    call('ExitWorktree', { action: 'keep' }),
    say('Kept.'),
  ]);
  expect(replayed.closed).toEqual({ ok: true, value: undefined });
  expect(existsSync(join(there.cwd, '.cadre'))).toBe(false);
});

gitTest('G10 a session that begins in a worktree replays', async () => {
  const { there, replayed } = await recordAndReplay(
    [call('Write', { file_path: 'c.txt', content: 'three\n' }), say('Written.')],
    { worktree: 'apart' },
  );
  expect(replayed.closed).toEqual({ ok: true, value: undefined });
  expect(existsSync(join(there.cwd, '.cadre'))).toBe(false);
});
