import { expect, test } from 'bun:test';
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PermissionMode } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import type { Session } from '../../src/session/session.ts';
import { call, say } from '../../src/testing/index.ts';
import { open, type Place, place } from './support.ts';

/** All that can be asked of a session without wanting anything of it. */
async function lookAtAll(session: Session): Promise<void> {
  session.info();
  session.context();
  session.messages();
  session.tasks();
  session.task('nobody');
  session.cost();
  session.leases();
  session.mcp().status();
  session.mcp().tools();
  session.queuedPrompts();
  session.recorded();
  session.now();
  session.approvals.waiting();
  (await session.prompts()).find({ containing: 'x' });
  await session.checkpoints();
  const checkpoints = await session.checkpoints();
  const to = checkpoints.ok ? checkpoints.value.at(-1)?.uuid : undefined;
  if (to !== undefined) await session.previewRewind({ to, what: 'both' });
}

/** Every file with its bytes and times, so that nothing is made, changed or written again. */
function filesBelow(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    // Written some time after what it is about.
    if (name.endsWith('ledger.jsonl')) continue;
    const path = join(directory, name);
    const entry = lstatSync(path);
    found[name] = entry.isFile() ? `${entry.mtimeMs} ${readFileSync(path).toString('base64')}` : 'directory';
  }
  return found;
}

async function lookTwice(at: Place, options: SessionOptions, prompts: string[], laterMode?: PermissionMode) {
  mkdirSync(at.cwd, { recursive: true });
  writeFileSync(join(at.cwd, 'notes.txt'), 'before\n');
  const turns = prompts.flatMap(() => [call('Bash', { command: 'echo more >> notes.txt' }), say('Done.')]);
  const opened = await open(at, turns, { permissionMode: 'bypassPermissions', ...options });
  for (const prompt of prompts) await opened.prompt(prompt);
  if (laterMode) opened.session.send({ type: 'set_permission_mode', mode: laterMode });
  const count = opened.events.length;
  const before = filesBelow(join(at.cwd, '..'));
  await lookAtAll(opened.session);
  await new Promise((resolve) => setImmediate(resolve));
  const after = filesBelow(join(at.cwd, '..'));
  const said = opened.events.slice(count);
  await opened.session.close();
  return { before, after, said };
}

test('looking at a session that has not run makes no file and says nothing', async () => {
  const { before, after, said } = await lookTwice(place(), {}, []);
  expect(after).toEqual(before);
  expect(said).toEqual([]);
});

test('looking at a session in plan mode makes no file and says nothing', async () => {
  const { before, after, said } = await lookTwice(place(), { permissionMode: 'plan', attended: true }, []);
  expect(after).toEqual(before);
  expect(said).toEqual([]);
});

test('looking at a session whose plan mode has just begun makes no file and says nothing', async () => {
  const { before, after, said } = await lookTwice(place(), { attended: true }, [], 'plan');
  expect(after).toEqual(before);
  expect(said.filter(({ type }) => type !== 'mode_changed')).toEqual([]);
});

test('looking at a session after its runs changes no file and says nothing', async () => {
  const { before, after, said } = await lookTwice(place(), {}, ['Add a line', 'Add another']);
  expect(after).toEqual(before);
  expect(said).toEqual([]);
});
