import { expect } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say, scriptedModel, type Turn } from '../../src/testing/index.ts';
import { repository } from '../session/repository.ts';
import { type Place, place, runOnTape } from '../session/support.ts';
import { needs } from '../support/index.ts';

const gitTest = needs('git');

const run = (at: Place, options: SessionOptions, prompt?: string) =>
  runOnTape(at, { sandbox: false, permissionMode: 'bypassPermissions', ...options }, prompt);

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
