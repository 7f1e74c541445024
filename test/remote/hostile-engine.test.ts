import { expect, setDefaultTimeout, test } from 'bun:test';
import type { MemoryServer } from '../../src/remote/engines/memory.ts';
import { type JobOrder, jobsBell, maxOrderMs } from '../../src/remote/job.ts';
import { call, say } from '../../src/testing/index.ts';
import { get } from './support.ts';
import { openMemoryEngine, openSubmitter, startWorker, waitFor } from './worker-ground.ts';

setDefaultTimeout(60_000);

/** All that a server has of a job, as its owner may keep it. */
function copyJob({ rows }: MemoryServer, id: string) {
  const found = rows.get(id);
  const streams = new Map<string, { bodies: string[]; keys: Set<string> }>();
  for (const [name, { bodies, keys }] of found?.streams ?? [])
    streams.set(name, { bodies: [...bodies], keys: new Set(keys) });
  return { epoch: found?.epoch ?? 0, streams };
}

type Copied = ReturnType<typeof copyJob>;

/** Puts it back as it was, and hands the job out once more. */
function replay(server: MemoryServer, id: string, copied: Copied): void {
  server.rows.set(id, copied);
  const job = server.jobs.get(id);
  if (job) Object.assign(job, { state: 'waiting', until: 0 });
  for (const hear of server.listeners) hear(jobsBell);
}

test('G4 a job that has ended is not run again by its worker, whatever the server hands out', async () => {
  const { server, engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const worker = startWorker({
    ...{ engine, trusts: [submitter.key.name], remembers: true },
    turns: () => say('Done.'),
  });
  const order = await submitter.submit();
  const before = copyJob(server, order.id);
  await submitter.result(order.id);
  await waitFor(() => worker.said.includes(`Finished ${order.id}.`) || undefined);
  const asked = worker.model.requests.length;
  get(await engine.remove(order.id));
  replay(server, order.id, before);
  const { outcome } = await submitter.result(order.id);
  expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('no longer has') });
  expect(worker.model.requests.length).toBe(asked);
  await worker.end();
});

test('G4 a step that a worker has stored is not done again where the server has lost it', async () => {
  const { server, engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const setup = { engine, trusts: [submitter.key.name], remembers: true };
  const first = startWorker({
    ...setup,
    turns: ({ messages }) =>
      JSON.stringify(messages).includes('Created')
        ? call('Glob', { pattern: '*' })
        : call('Write', { file_path: 'b.txt', content: 'x' }),
  });
  const order = await submitter.submit();
  const before = copyJob(server, order.id);
  await waitFor(async () => {
    const steps = await submitter.rowsOf(order.id, 'steps');
    return steps.some((row) => row?.body.includes('Created')) || undefined;
  });
  await first.end();
  replay(server, order.id, before);
  const second = startWorker({ ...setup, home: first.path, turns: () => say('Again.') });
  const { outcome } = await submitter.result(order.id);
  expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('no longer has') });
  expect(second.model.requests.length).toBe(0);
  await second.end();
});

test('an order is not run long after it was submitted, unless it is for a session that was moved', async () => {
  const { engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const worker = startWorker({ engine, trusts: [submitter.key.name], turns: () => say('Done.') });
  const old: Partial<JobOrder> = { submittedAt: Date.now() - maxOrderMs - 60_000 };
  const order = await submitter.submit(old);
  const [refusal] = await waitFor(async () => {
    const rows = await submitter.rowsOf(order.id, 'refusals');
    return rows.length > 0 ? rows : undefined;
  });
  expect(refusal?.body).toContain('it was submitted on');
  const moved = await submitter.submit({ ...old, moved: { definitions: {} } });
  await waitFor(() => worker.said.find((text) => text.startsWith(`Running ${moved.id}`)));
  expect(worker.model.requests.length).toBe(0);
  await worker.end();
});

test('a job that one worker does not accept is soon run by another', async () => {
  const { engine } = openMemoryEngine();
  const [stranger, known] = [openSubmitter(engine), openSubmitter(engine)];
  const refusing = startWorker({
    engine,
    name: 'w1',
    slots: 1,
    trusts: [known.key.name],
    turns: () => say('Mine.'),
  });
  const order = await stranger.submit();
  await waitFor(() => refusing.said.find((text) => text.includes(order.id)));
  const willing = startWorker({ engine, name: 'w2', trusts: [stranger.key.name], turns: () => say('Done.') });
  expect((await stranger.result(order.id)).outcome.text).toBe('Done.');
  // It has a place for other jobs all the while.
  expect((await known.result((await known.submit()).id)).outcome.text).toBe('Mine.');
  expect(refusing.said.filter((text) => text.includes(order.id))).toHaveLength(1);
  await refusing.end();
  await willing.end();
});
