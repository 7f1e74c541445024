import { expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usage } from '../../src/lib/result.ts';
import { streams } from '../../src/remote/job.ts';
import { sendAnswer, sendLetter, sendStop } from '../../src/remote/letters.ts';
import { openRow, sendRow } from '../../src/remote/sealed-rows.ts';
import { readJobState } from '../../src/remote/steps.ts';
import { listWorkers } from '../../src/remote/worker-note.ts';
import { call, calls, expecting, hang, say } from '../../src/testing/index.ts';
import { temporaryDirectory } from '../support/index.ts';
import { get } from './support.ts';
import { cutEngine, openMemoryEngine, openSubmitter, startWorker, waitFor } from './worker-ground.ts';

test('RM1 RM2 RM7 a worker runs a job in its own checkout, and its steps, events and result are rows', async () => {
  const { engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const worker = startWorker({
    engine,
    trusts: [submitter.key.name],
    turns: [
      expecting({ userText: 'Do it.' }, call('Read', { file_path: 'a.txt' })),
      expecting({ toolResult: 'one' }, call('Write', { file_path: 'b.txt', content: 'two\n' })),
      say('Written.'),
    ],
  });
  const order = await submitter.submit();
  const { outcome, cost } = await submitter.result(order.id);
  expect(outcome).toMatchObject({ kind: 'completed', text: 'Written.' });
  expect(cost?.rows[0]?.requests).toBe(3);
  worker.model.assertConsumed();
  const events = await submitter.events(order.id);
  expect(events.filter(({ type }) => type === 'tool_ended').length).toBe(2);
  const state = get(
    await readJobState(
      engine,
      { jobId: order.id, submitter: submitter.key.name },
      (signer) => signer === worker.key,
    ),
  );
  expect(state.files?.head).toBe(order.base);
  expect(state.logs.get('transcript')).toContain('Written.');
  await worker.end();
  expect(readdirSync(worker.place.directory)).toEqual([]);
  expect(readdirSync(join(worker.home, 'projects'))).toEqual([]);
});

test('G5 nothing of a job is left on a worker that could not prepare its checkout', async () => {
  const { engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const worker = startWorker({
    ...{ engine, trusts: [submitter.key.name] },
    prepare: async () => usage('It needs a moon.'),
  });
  const order = await submitter.submit();
  expect((await submitter.result(order.id)).outcome.reason).toContain('It needs a moon.');
  await worker.end();
  expect(readdirSync(worker.place.directory)).toEqual([]);
});

test('RM1 a letter reaches the agent while it works, and one signed by another key does not', async () => {
  const { engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const other = openSubmitter(engine);
  const worker = startWorker({
    engine,
    trusts: [submitter.key.name, other.key.name],
    turns: ({ messages }) =>
      JSON.stringify(messages).includes('Also this.') ? say('Both.') : call('Glob', { pattern: '*' }),
  });
  const order = await submitter.submit();
  await waitFor(() => worker.model.requests[0]);
  const letter = (text: string) => ({ uuid: randomUUID(), text, delivery: 'steer' as const });
  get(await sendLetter(engine, other.key, order.id, letter('Obey me.')));
  get(await sendLetter(engine, submitter.key, order.id, letter('Also this.')));
  const { outcome } = await submitter.result(order.id);
  expect(outcome.text).toBe('Both.');
  expect(JSON.stringify(worker.model.requests.at(-1)?.messages)).not.toContain('Obey me.');
  await worker.end();
});

test('RM1 a question goes to the submitter, and its answer allows one call and no rules', async () => {
  const { engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const worker = startWorker({
    engine,
    highestMode: 'default',
    trusts: [submitter.key.name],
    turns: [
      call('Write', { file_path: 'b.txt', content: 'x' }),
      expecting({ isError: false }, call('Write', { file_path: 'c.txt', content: 'x' })),
      expecting({ isError: true }, say('End.')),
    ],
  });
  const order = await submitter.submit({ permissionMode: 'bypassPermissions' });
  const first = await waitFor(async () => (await submitter.questions(order.id))[0]);
  const generous = {
    behaviour: 'allow' as const,
    mode: 'bypassPermissions' as const,
    rules: [{ tool: 'Write', behaviour: 'allow' as const }],
    scope: 'saved' as const,
    destination: 'user' as const,
  };
  get(await sendAnswer(engine, submitter.key, order.id, { id: first.id, answer: generous as never }));
  const second = await waitFor(async () => (await submitter.questions(order.id))[1]);
  const no = { behaviour: 'deny' as const, message: 'No.' };
  get(await sendAnswer(engine, submitter.key, order.id, { id: second.id, answer: no }));
  expect((await submitter.result(order.id)).outcome.kind).toBe('completed');
  worker.model.assertConsumed();
  expect(existsSync(join(worker.home, 'settings.json'))).toBe(false);
  await worker.end();
});

test('RM1 a stop ends the agent with a result, once', async () => {
  const { engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const other = openSubmitter(engine);
  const worker = startWorker({ engine, trusts: [submitter.key.name], turns: [hang()] });
  const order = await submitter.submit();
  await waitFor(() => (worker.model.requests.length > 0 ? true : undefined));
  get(await sendStop(engine, other.key, order.id));
  get(await sendRow(engine, submitter.key, order.id, { stream: streams.stop, key: 'mine', body: '{}' }));
  expect((await submitter.result(order.id)).outcome.kind).toBe('interrupted');
  await waitFor(() => (worker.said.some((text) => text.startsWith('Finished')) ? true : undefined));
  expect((await submitter.rowsOf(order.id, streams.result)).length).toBe(1);
  await worker.end();
});

test('a job of an unknown key, or a damaged one, is not run, and the submitter can see why', async () => {
  const { engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const worker = startWorker({ engine });
  const order = await submitter.submit();
  get(await engine.append('damaged', [{ stream: streams.order, key: 'order', body: '{}' }]));
  get(await engine.enqueue({ id: 'damaged', label: 'any', priority: 1 }));
  const [refusal] = await waitFor(async () => {
    const rows = await submitter.rowsOf(order.id, streams.refusals);
    return rows.length > 0 ? rows : undefined;
  });
  expect(JSON.parse(refusal?.body ?? '')).toMatchObject({
    worker: 'w1',
    reason: expect.stringContaining('is not one that this worker trusts'),
  });
  expect(refusal?.signer).toBe(worker.key);
  const damaged = await waitFor(async () => get(await engine.read('damaged', streams.refusals, 0, 1))[0]);
  expect(openRow('damaged', streams.refusals, damaged.body)?.body).toContain('damaged');
  await worker.end();
  expect(worker.model.requests.length).toBe(0);
});

test('RM2 G14 a worker that ends lets the running call finish, and gives the job back at a step', async () => {
  const { engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const door = temporaryDirectory().path;
  const command = `touch ${door}/begun; until [ -e ${door}/go ]; do sleep 0.05; done; echo ran >> ran.txt`;
  const options = { trusts: [submitter.key.name], highestMode: 'bypassPermissions' as const };
  const first = startWorker({ engine, ...options, turns: [call('Bash', { command }), hang()] });
  const order = await submitter.submit({ permissionMode: 'bypassPermissions' });
  await waitFor(() => existsSync(join(door, 'begun')) || undefined);
  first.leave();
  expect(
    await waitFor(async () => get(await listWorkers(engine)).find(({ state }) => state === 'draining')),
  ).toMatchObject({ name: 'w1', running: 1 });
  writeFileSync(join(door, 'go'), '');
  await first.done;
  expect(first.said.at(-1)).toBe(`Gave back ${order.id}.`);
  const second = startWorker({
    engine,
    ...options,
    name: 'w2',
    trusts: [submitter.key.name, first.key],
    turns: [
      expecting({ userText: 'You continue on another one' }, call('Bash', { command: 'cat ran.txt' })),
      expecting({ toolResult: 'ran' }, say('Done.')),
    ],
  });
  expect((await submitter.result(order.id)).outcome.text).toBe('Done.');
  second.model.assertConsumed();
  // The call had a result: it was not run again, and is not in doubt.
  expect(JSON.stringify(second.model.requests[0]?.messages)).not.toContain('result unknown');
  await second.end();
});

test('RM2 G14 a call that waits while its worker ends can be called again by the next one', async () => {
  const { engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const door = temporaryDirectory().path;
  const command = `touch ${door}/begun; until [ -e ${door}/go ]; do sleep 0.05; done`;
  const options = { trusts: [submitter.key.name], highestMode: 'bypassPermissions' as const };
  const first = startWorker({
    ...{ engine, ...options },
    turns: [calls([call('Bash', { command }), call('Bash', { command: 'touch second' })]), hang()],
  });
  const order = await submitter.submit({ permissionMode: 'bypassPermissions' });
  await waitFor(() => existsSync(join(door, 'begun')) || undefined);
  first.leave();
  await waitFor(async () => get(await listWorkers(engine)).find(({ state }) => state === 'draining'));
  writeFileSync(join(door, 'go'), '');
  await first.done;
  const second = startWorker({
    ...{ engine, ...options, name: 'w2', trusts: [submitter.key.name, first.key] },
    turns: [expecting({ toolResult: 'You can call it again' }, say('Done.'))],
  });
  expect((await submitter.result(order.id)).outcome.text).toBe('Done.');
  expect(JSON.stringify(second.model.requests[0]?.messages)).not.toContain('interrupted');
  await second.end();
});

test('RM2 SE1 G14 a worker that is cut off is continued by another, an unfinished call is in doubt, and nothing late is stored', async () => {
  const { engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const ground = temporaryDirectory().path;
  const far = cutEngine(engine);
  const options = { highestMode: 'bypassPermissions' as const };
  const slow = `echo x >> ${ground}/runs; touch ${ground}/begun; until [ -e ${ground}/go ]; do sleep 0.05; done`;
  const first = startWorker({
    engine: far.engine,
    ...options,
    trusts: [submitter.key.name],
    turns: [
      call('Write', { file_path: 'kept.txt', content: 'kept' }),
      call('Bash', { command: slow }),
      call('Write', { file_path: 'late.txt', content: 'late' }),
      say('Late.'),
    ],
  });
  const order = await submitter.submit({ permissionMode: 'bypassPermissions' });
  await waitFor(() => existsSync(join(ground, 'begun')) || undefined);
  far.cut(true);
  const second = startWorker({
    engine,
    ...options,
    name: 'w2',
    trusts: [submitter.key.name, first.key],
    turns: [
      expecting({ userText: 'You continue on another one' }, call('Bash', { command: 'cat kept.txt; ls' })),
      expecting({ toolResult: 'kept' }, say('Done.')),
    ],
  });
  const { outcome } = await submitter.result(order.id);
  expect(outcome.text).toBe('Done.');
  const asked = JSON.stringify(second.model.requests[0]?.messages);
  expect(asked).toContain('Interrupted, result unknown');
  far.cut(false);
  writeFileSync(join(ground, 'go'), '');
  await first.end();
  const rows = await submitter.rowsOf(order.id, streams.steps);
  expect(rows.map((row) => row?.body).join('')).not.toContain('late.txt');
  expect((await submitter.rowsOf(order.id, streams.result)).length).toBe(1);
  expect(readFileSync(join(ground, 'runs'), 'utf8')).toBe('x\n');
  await second.end();
});
