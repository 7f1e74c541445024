import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readOrder, storeOrder } from '../../../src/remote/job.ts';
import { openJobKey, trustKey } from '../../../src/remote/keys.ts';
import { sendLetter } from '../../../src/remote/letters.ts';
import { call, say } from '../../../src/testing/index.ts';
import { get } from '../../remote/support.ts';
import { cutEngine, startWorker } from '../../remote/worker-ground.ts';
import { temporaryDirectory } from '../../support/index.ts';
import { findRemote, hire, listEvents, openGround, waitFor, waitForEnd } from './ground.ts';

setDefaultTimeout(60_000);

test('an order of another tenant in place of one is not taken for it, and nothing of its work is brought back', async () => {
  const { user, server, engine } = openGround();
  const other = get(openJobKey(temporaryDirectory().path));
  const opened = await user.open([hire(), say('Started.')], { permissionMode: 'bypassPermissions' });
  await opened.prompt('Go.');
  const { id } = findRemote(opened, user.at);
  const job = await waitFor(() => [...server.jobs.values()][0]);
  const jobId = job?.id ?? '';
  const order = get(await readOrder(engine, jobId, new Set([user.key]), server.clock))?.order;
  if (!order) throw new Error('no order');
  // Whoever owns the server puts another order there, signed by a key that the worker accepts.
  server.rows.delete(jobId);
  get(await storeOrder(engine, order, other));
  get(
    await sendLetter(engine, other, jobId, { uuid: crypto.randomUUID(), text: 'Forge.', delivery: 'steer' }),
  );
  const worker = user.startWorker(
    ({ messages }) =>
      JSON.stringify(messages).includes('Created')
        ? say('Forged.')
        : call('Write', { file_path: 'evil.txt', content: 'x' }),
    { trusts: [user.key, other.name] },
  );
  await waitFor(() => worker.said.includes(`Finished ${jobId}.`) || undefined);
  const kept = join(
    dirname(opened.session.info().transcriptPath ?? ''),
    opened.session.id,
    'remote',
    `${id}.json`,
  );
  await waitFor(() => JSON.parse(readFileSync(kept, 'utf8')).read > 0 || undefined);
  expect(listEvents(opened, id)).not.toContain('message_added');
  expect(existsSync(join(user.at.cwd, '.cadre', 'worktrees'))).toBe(false);
  expect(findRemote(opened, user.at).status).toBe('running');
  await opened.session.close();
  await worker.end();
});

test('RM1 G3 what a worker has done whose key is accepted only then is shown and brought back, once', async () => {
  const { user, engine } = openGround();
  const worker = startWorker({
    engine,
    trusts: [user.key],
    turns: ({ messages }) =>
      JSON.stringify(messages).includes('Created')
        ? say('Written.')
        : call('Write', { file_path: 'b.txt', content: 'two\n' }),
  });
  const opened = await user.open([hire(), say('Started.'), say('Seen.')]);
  await opened.prompt('Go.');
  const { id } = findRemote(opened, user.at);
  const notices = () => opened.events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
  await waitFor(() => worker.said.find((text) => text.startsWith('Finished')));
  await waitFor(() => notices().find((text) => text.includes('is not trusted here')));
  expect(listEvents(opened, id)).not.toContain('message_added');
  get(trustKey(user.at.home, worker.key, 'worker'));
  const end = await waitForEnd(opened);
  expect(end).toMatchObject({ status: 'completed', text: 'Written.' });
  expect(readFileSync(join(end.worktree?.path ?? '', 'b.txt'), 'utf8')).toBe('two\n');
  expect(listEvents(opened, id)).toContain('message_added');
  expect(worker.said.filter((text) => text.startsWith('Running'))).toHaveLength(1);
  await opened.session.close();
  await worker.end();
});

test('RM1 a message that comes when a job has just ended is answered by another one in the same worktree', async () => {
  const { user, engine } = openGround();
  const far = cutEngine(engine);
  const mayEnd = Promise.withResolvers<void>();
  const worker = user.startWorker(async ({ messages }) => {
    const said = JSON.stringify(messages);
    if (said.includes('And this.')) return say('Both.');
    if (!said.includes('Created')) return call('Write', { file_path: 'b.txt', content: 'two\n' });
    await mayEnd.promise;
    return say('Written.');
  });
  const opened = await user.open([hire(), say('Started.'), say('Seen.')], { engine: far.engine });
  await opened.prompt('Go.');
  const { id } = findRemote(opened, user.at);
  await waitFor(() => worker.model.requests[1]);
  far.cut(true);
  mayEnd.resolve();
  await waitFor(() => worker.said.find((text) => text.startsWith('Finished')));
  await opened.session.messageAgent(id, 'And this.');
  far.cut(false);
  const end = await waitForEnd(opened);
  expect(end).toMatchObject({ status: 'completed', text: 'Both.' });
  expect(end.worktree?.files.map(({ path }) => path)).toEqual(['b.txt']);
  await opened.session.close();
  await worker.end();
});
