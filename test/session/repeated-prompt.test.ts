import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { manualClock } from '../../src/lib/clock.ts';
import { countedIds } from '../../src/lib/ids.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { say, scriptedModel } from '../../src/testing/index.ts';
import { openSimulated, soleClaim } from '../simulation/session.ts';
import { open, place, recordsOf } from './support.ts';

const uuid = '0b9d2f70-0000-4000-8000-000000000001';
const command = { type: 'prompt', content: 'Hello.', uuid } as const;

function start() {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  return at;
}

test('a prompt that is sent again under its uuid is read once', async () => {
  const { session, runs } = await open(start(), [say('Hi.')]);
  expect(session.send(command).ok).toBe(true);
  expect(session.send({ ...command, delivery: 'queue' }).ok).toBe(true);
  await runs(1);
  expect(session.send(command).ok).toBe(true);
  await session.settled();
  const records = await recordsOf(session);
  expect(records.filter((record) => 'uuid' in record && record.uuid === uuid)).toHaveLength(1);
  await session.close();
});

test('also when its first copy was read before the session was resumed', async () => {
  const at = start();
  const first = await open(at, [say('Hi.')]);
  first.session.send(command);
  await first.runs(1);
  await first.session.close();
  const { session, model } = await open(at, [], { resume: { from: 'id', id: first.session.id } });
  expect(session.send(command).ok).toBe(true);
  await session.settled();
  expect(model.requests).toEqual([]);
  await session.close();
});

test('a prompt that was withdrawn can be sent again', async () => {
  const held = Promise.withResolvers<void>();
  const slow = async () => {
    await held.promise;
    return say('Hi.');
  };
  const { session, runs } = await open(start(), [slow, say('Hi again.')]);
  session.send({ type: 'prompt', content: 'First.' });
  session.send({ ...command, delivery: 'queue' });
  expect(session.withdrawPrompt(uuid)).toBe(true);
  session.send({ ...command, delivery: 'queue' });
  held.resolve();
  await runs(2);
  expect((await recordsOf(session)).some((record) => 'uuid' in record && record.uuid === uuid)).toBe(true);
  await session.close();
});

test('a run that falls over is reported, and what waits does not start it again and again', async () => {
  let attempts = 0;
  const { commands, lead } = openSimulated({
    ...{ clock: manualClock(), ids: countedIds(), machine: systemMachine, claim: soleClaim, persist: false },
    ...{ model: scriptedModel([]), tools: [], restored: undefined },
  });
  lead.enter = () => {
    attempts++;
    throw new Error('a bug');
  };
  commands.send(command);
  expect(await commands.pump.settled().catch((error: Error) => error.message)).toBe('a bug');
  expect(attempts).toBe(1);
});
