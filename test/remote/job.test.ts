import { expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import type { Engine } from '../../src/remote/engine.ts';
import { memoryEngine, memoryServer } from '../../src/remote/engines/memory.ts';
import { type JobOrder, readOrder, storeOrder, streams } from '../../src/remote/job.ts';
import { openJobKey, readKnownKeys, trustKey } from '../../src/remote/keys.ts';
import { openCursor, sealRow } from '../../src/remote/sealed-rows.ts';
import { temporaryDirectory } from '../support/index.ts';
import { get } from './support.ts';

const order: JobOrder = {
  format: 1,
  id: 'job-1',
  sessionId: '11111111-1111-4111-8111-111111111111',
  submittedAt: 0,
  description: 'Fix it',
  repository: 'repository-1',
  base: 'a'.repeat(40),
  stands: '',
  agent: { type: 'general-purpose' },
  model: 'claude-test',
  permissionMode: 'acceptEdits',
};

const clock = manualClock();
const openMemory = (): Engine => memoryEngine(memoryServer(clock));

test('a key is made once, and only its owner can read it', () => {
  const { path } = temporaryDirectory();
  const first = get(openJobKey(path));
  expect(get(openJobKey(path)).name).toBe(first.name);
  expect(statSync(join(path, 'remote', 'key.pem')).mode & 0o777).toBe(0o600);
});

test('a worker accepts a job of a key that it trusts, and of no other', async () => {
  const [submitter, worker] = [temporaryDirectory().path, temporaryDirectory().path];
  const engine = openMemory();
  const key = get(openJobKey(submitter));
  get(await storeOrder(engine, order, key));
  const refused = await readOrder(engine, order.id, get(readKnownKeys(worker)), clock);
  expect(refused.ok ? '' : refused.problem.message).toContain('is not one that this worker trusts');
  get(trustKey(worker, key.name, 'laptop'));
  expect(get(await readOrder(engine, order.id, get(readKnownKeys(worker)), clock))).toEqual({
    order,
    submitter: key.name,
  });
});

test('an order that was changed, or moved to another job, is not accepted', async () => {
  const { path } = temporaryDirectory();
  const engine = openMemory();
  get(await storeOrder(engine, order, get(openJobKey(path))));
  const [row] = get(await engine.read(order.id, streams.order, 0, 1));
  const body = row?.body ?? '';
  const forge = async (id: string, text: string) => {
    get(await engine.append(id, [{ stream: streams.order, key: 'order', body: text }]));
    return readOrder(engine, id, get(readKnownKeys(path)), clock);
  };
  const changed = await forge('job-2', body.replace('acceptEdits', 'bypassPermissions'));
  expect(changed.ok ? '' : changed.problem.message).toContain('signature does not match');
  const moved = await forge('job-3', body);
  expect(moved.ok ? '' : moved.problem.message).toContain('for another job');
  const damaged = await forge('job-4', 'x');
  expect(damaged.ok ? '' : damaged.problem.message).toContain('damaged');
});

test('a text that is not a key is refused', () => {
  expect(trustKey(temporaryDirectory().path, 'ssh-ed25519 AAAA', '')).toMatchObject({ ok: false });
});

test('a job reads only what its submitter signed for it and for that stream, once', async () => {
  const [submitter, other] = [temporaryDirectory().path, temporaryDirectory().path];
  const engine = openMemory();
  const [key, strange] = [get(openJobKey(submitter)), get(openJobKey(other))];
  const letter = (name: string) => ({ stream: streams.letters, key: name, body: name });
  const ours = sealRow(key, order.id, letter('ours'));
  get(
    await engine.append(order.id, [
      ours,
      { ...ours, key: 'again' },
      sealRow(strange, order.id, letter('of another key')),
      sealRow(key, 'job-2', letter('of another job')),
      { ...sealRow(key, order.id, { ...letter('x'), stream: streams.answers }), stream: streams.letters },
      { ...ours, key: 'changed', body: ours.body.replace(/ours$/, 'changed') },
      letter('not signed'),
    ]),
  );
  const read = openCursor(engine, order.id, streams.letters, (signer) => signer === key.name);
  expect(get(await read()).map(({ body }) => body)).toEqual(['ours']);
});
