import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, expecting, hang, say } from '../../../src/testing/index.ts';
import { findRemote, hire, openGround, waitFor, waitForEnd } from './ground.ts';

// Git is started many times, also on a busy machine.
setDefaultTimeout(60_000);

test('RM1 G3 TS2 a remote agent runs on while its session is closed, and its end is told once when the session continues', async () => {
  const { user } = openGround();
  const gate = Promise.withResolvers<void>();
  const worker = user.startWorker([
    call('Write', { file_path: 'b.txt', content: 'two\n' }),
    async () => {
      await gate.promise;
      return say('Written.');
    },
  ]);
  const opened = await user.open([hire(), say('Started.')]);
  await opened.prompt('Go.');
  await waitFor(() => worker.model.requests[1]);
  const { id } = findRemote(opened, user.at);
  await opened.session.close();
  gate.resolve();
  await waitFor(() => worker.said.find((line) => line.startsWith('Finished')));

  const again = await user.open([expecting({ userText: 'Written.' }, say('Seen.'))], {
    resume: { from: 'latest' },
  });
  const end = await waitForEnd(again);
  expect(end).toMatchObject({ status: 'completed', text: 'Written.', usage: { toolUses: 1 } });
  expect(end.worktree?.files.map(({ path }) => path)).toEqual(['b.txt']);
  await again.runs(1);
  again.model.assertConsumed();
  await again.session.close();

  const third = await user.open([say('Nothing new.')], { resume: { from: 'latest' } });
  await third.prompt('Anything?');
  const heard = JSON.stringify(third.model.requests[0]?.messages);
  expect(heard.split('<result>Written.').length - 1).toBe(1);
  expect(third.session.tasks().some((task) => task.id === id && task.status === 'running')).toBe(false);
  await third.session.close();
  await worker.end();
});

test('RM1 G1 the share of a remote agent stays reserved over a restart, and is settled once', async () => {
  const { user } = openGround();
  const gate = Promise.withResolvers<void>();
  const worker = user.startWorker([
    call('Read', { file_path: 'a.txt' }),
    async () => {
      await gate.promise;
      return say('Read.');
    },
  ]);
  const limit = { maxTokens: 400_000 };
  const opened = await user.open([hire(), say('Started.')], limit);
  await opened.prompt('Go.');
  await waitFor(() => worker.model.requests[1]);
  const { id } = findRemote(opened, user.at);
  const transcriptPath = opened.session.info().transcriptPath ?? '';
  await opened.session.close();
  const readLedger = () =>
    readFileSync(join(transcriptPath.replace(/\.jsonl$/, ''), 'ledger.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter((record) => String(record.id).startsWith('share-'));
  expect(readLedger().map(({ type }) => type)).toEqual(['reserve']);
  expect(readLedger()[0].tokens).toBeGreaterThan(90_000);

  const again = await user.open([say('Seen.')], { resume: { from: 'latest' }, ...limit });
  expect(readLedger().map(({ type }) => type)).toEqual(['reserve']);
  gate.resolve();
  await waitForEnd(again);
  await again.runs(1);
  expect(readLedger().map(({ type }) => type)).toEqual(['reserve', 'settle']);
  const row = again.session.cost().rows.find(({ agentId }) => agentId === id);
  expect(row?.requests).toBe(2);
  await again.session.close();
  await worker.end();
});

test('RM1 G3 a session that was killed before its job was on the engine sends it when it continues', async () => {
  const { user, server } = openGround();
  const opened = await user.open([hire(), say('Started.')]);
  await opened.prompt('Go.');
  const { id } = await waitFor(() => {
    const task = findRemote(opened, user.at);
    return task.agent?.progress.activities[0] ? task : undefined;
  });
  const transcriptPath = opened.session.info().transcriptPath ?? '';
  await opened.session.close();
  // As after a kill in between: the session knows the job, and the engine does not.
  const file = join(transcriptPath.replace(/\.jsonl$/, ''), 'remote', `${id}.json`);
  writeFileSync(file, readFileSync(file, 'utf8').replace('"state":"sent"', '"state":"new"'));
  server.jobs.clear();
  server.rows.clear();
  const worker = user.startWorker([expecting({ userText: 'Do the work.' }, say('Done.'))]);
  const again = await user.open([say('Seen.')], { resume: { from: 'latest' } });
  expect(await waitForEnd(again)).toMatchObject({ status: 'completed', text: 'Done.' });
  worker.model.assertConsumed();
  await again.session.close();
  await worker.end();
});

test('RM1 without the engine a session says which remote agents may still run, and loses none', async () => {
  const { user } = openGround();
  const worker = user.startWorker([hang()]);
  const opened = await user.open([hire(), say('Started.')]);
  await opened.prompt('Go.');
  const { id } = findRemote(opened, user.at);
  await waitFor(() => worker.model.requests[0]);
  await opened.session.close();
  const without = await user.open([say('Hello.')], {
    resume: { from: 'latest' },
    engine: undefined,
  } as never);
  await without.prompt('Hello?');
  const said = without.events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
  expect(said.join(' ')).toContain(`may still run: ${id}`);
  await without.session.close();
  const again = await user.open([say('Seen.')], { resume: { from: 'latest' } });
  await waitFor(() => again.session.tasks().find((task) => task.id === id));
  again.session.send({ type: 'stop_task', taskId: id });
  expect((await waitForEnd(again)).status).toBe('killed');
  await again.session.close();
  await worker.end();
});

test('RM1 a session of which nothing is kept takes its remote agents with it', async () => {
  const { user } = openGround();
  const worker = user.startWorker([hang()]);
  const opened = await user.open([hire(), say('Started.')], { persist: false });
  await opened.prompt('Go.');
  await waitFor(() => worker.model.requests[0]);
  await opened.session.close();
  await waitFor(() => worker.said.find((line) => line.startsWith('Finished')));
  await worker.end();
  expect(existsSync(join(user.at.cwd, '.cadre', 'worktrees'))).toBe(false);
});

test('RM7 while the engine is away nothing is lost, and it is said once', async () => {
  const { user, server } = openGround();
  const worker = user.startWorker([call('Glob', { pattern: '*' }), say('Back.')]);
  server.isAway = true;
  const opened = await user.open([hire(), say('Started.'), say('Seen.')]);
  await opened.prompt('Go.');
  await waitFor(() => findRemote(opened, user.at));
  server.isAway = false;
  expect(await waitForEnd(opened)).toMatchObject({ status: 'completed', text: 'Back.' });
  await opened.session.close();
  await worker.end();
});
