import { expect, test } from 'bun:test';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelRequest, textOf } from '../../src/protocol/index.ts';
import { say } from '../../src/testing/index.ts';
import { open, type Place, place, recordsOf } from './support.ts';

const uuid = '0b9d2f70-0000-4000-8000-000000000002';

test('SE1 prompts that waited in a process that was killed are read once by the next one, in their order', async () => {
  const { at, release } = await openKilled();
  const next = await open(at, [say('Done b.'), say('Done c.')], {
    resume: { from: 'latest' },
  });
  // Its sender heard nothing, and sends it again.
  next.session.send({ type: 'prompt', content: 'b', uuid });
  expect(next.session.continueSuspended()).toBe(true);
  await next.runs(2);
  await next.session.settled();
  expect(asked(next.model.requests)).toEqual(['b', 'c']);
  await next.session.close();
  const last = await open(at, [say('No.')], { resume: { from: 'latest' } });
  expect(last.session.continueSuspended()).toBe(false);
  expect(last.model.requests).toHaveLength(0);
  await last.session.close();
  await release();
});

test('SE1 a prompt that was withdrawn is not read by the next process', async () => {
  const { at, release } = await openKilled((session) => void session.withdrawPrompts());
  const next = await open(at, [], { resume: { from: 'latest' } });
  expect(next.session.continueSuspended()).toBe(false);
  await next.session.close();
  await release();
});

test('SE1 a copy of a session that was killed reads the prompts that waited, and keeps them itself', async () => {
  const { at, release } = await openKilled();
  const copy = await open(at, [say('Done b.'), say('Done c.')], { resume: { from: 'latest' }, fork: true });
  expect(copy.session.continueSuspended()).toBe(true);
  await copy.runs(2);
  expect(asked(copy.model.requests)).toEqual(['b', 'c']);
  const letters = (await recordsOf(copy.session)).filter(({ type }) => type === 'letter');
  expect(letters).toMatchObject([{ sessionId: copy.session.id }, { sessionId: copy.session.id }]);
  await copy.session.close();
  await release();
});

/** A session with a run in progress and two prompts behind it, as a kill at that moment leaves it on the disk. */
async function openKilled(before: (session: Awaited<ReturnType<typeof open>>['session']) => void = () => {}) {
  const first = place();
  mkdirSync(first.cwd, { recursive: true });
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const slow = async () => {
    begun.resolve();
    await held.promise;
    return say('Done a.');
  };
  const { session } = await open(first, [slow, say('Done b.'), say('Done c.')]);
  session.send({ type: 'prompt', content: 'a' });
  await begun.promise;
  session.send({ type: 'prompt', content: 'b', delivery: 'queue', uuid });
  session.send({ type: 'prompt', content: 'c', delivery: 'queue' });
  before(session);
  const other = place();
  const at: Place = { ...other, cwd: first.cwd };
  cpSync(join(first.home, 'projects'), join(other.home, 'projects'), { recursive: true });
  return {
    at,
    async release() {
      held.resolve();
      await session.close();
    },
  };
}

function asked(requests: readonly ModelRequest[]): string[] {
  return requests.map(({ messages }) => {
    const last = messages.findLast(({ role }) => role === 'user');
    return textOf(last?.content ?? []).at(-1) ?? '';
  });
}
