import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, expecting, hang, say } from '../../../src/testing/index.ts';
import { findRemote, hire, listEvents, openGround, waitFor, waitForEnd } from './ground.ts';

// Git is started many times, also on a busy machine.
setDefaultTimeout(60_000);

test('RM1 RM3 NT1 a remote agent works on a worker, is shown as it works, and its files come back as a worktree that lands', async () => {
  const { user, server } = openGround();
  const worker = user.startWorker([
    expecting({ userText: 'Do the work.' }, call('Read', { file_path: 'a.txt' })),
    expecting({ toolResult: 'one' }, call('Write', { file_path: 'b.txt', content: 'two\n' })),
    say('Written.'),
  ]);
  const opened = await user.open(
    [
      hire({ name: 'far' }),
      say('Started.'),
      expecting({ userText: 'Written.' }, call('Land', { action: 'land', names: ['far'] })),
      expecting({ isError: false }, say('Landed.')),
    ],
    { permissionMode: 'bypassPermissions' },
  );
  await opened.prompt('Go.');
  const end = await waitForEnd(opened);
  expect(end).toMatchObject({ status: 'completed', text: 'Written.', usage: { toolUses: 2 } });
  const { id, agent } = findRemote(opened, user.at);
  expect(id[0]).toBe('r');
  expect(agent?.progress.runTokens).toBeGreaterThan(0);
  expect(listEvents(opened, id)).toEqual(
    expect.arrayContaining(['run_started', 'tool_started', 'tool_ended', 'message_added', 'run_ended']),
  );
  expect(end.worktree?.files.map(({ path }) => path)).toEqual(['b.txt']);
  expect(readFileSync(join(end.worktree?.path ?? '', 'b.txt'), 'utf8')).toBe('two\n');
  await opened.runs(2);
  opened.model.assertConsumed();
  expect(user.git('show', 'HEAD:b.txt')).toBe('two');
  await opened.session.close();
  await worker.end();
  // Nothing is left of the job, on the engine or in the repository.
  const left = [...server.rows].filter(([name]) => !name.startsWith('repository-'));
  expect(left.flatMap(([, { streams }]) => [...streams.keys()])).toEqual([]);
  expect(user.git('for-each-ref', 'refs/cadre')).toBe('');
});

test('RM1 a message reaches a running agent, a finished one continues with it in its worktree, also after that has landed', async () => {
  const { user } = openGround();
  const worker = user.startWorker(({ messages }) => {
    const said = JSON.stringify(messages);
    if (said.includes('Third.'))
      return say(said.includes('has landed or was dropped') ? 'Third, landed.' : 'Third.');
    if (said.includes('Second.'))
      return said.includes('c.txt') ? say('Second.') : call('Write', { file_path: 'c.txt', content: 'x\n' });
    if (!said.includes('First.')) return call('Glob', { pattern: '*' });
    return said.includes('b.txt') ? say('First.') : call('Write', { file_path: 'b.txt', content: 'x\n' });
  });
  const opened = await user.open(
    [
      hire({ name: 'far' }),
      say('Started.'),
      say('First is done.'),
      say('Second is done.'),
      call('Land', { action: 'land', names: ['far'] }),
      expecting({ isError: false }, say('Landed.')),
      say('Third is done.'),
    ],
    { permissionMode: 'bypassPermissions' },
  );
  await opened.prompt('Go.');
  const { id } = findRemote(opened, user.at);
  await waitFor(() => worker.model.requests[0]);
  expect(await opened.session.messageAgent(id, 'First.')).toMatchObject({ ok: true });
  const first = await waitForEnd(opened);
  expect(first.text).toBe('First.');
  expect(await opened.session.messageAgent(id, 'Second.')).toMatchObject({ ok: true });
  const second = await waitForEnd(opened, 2);
  expect(second.text).toBe('Second.');
  expect(second.worktree).toMatchObject({ name: first.worktree?.name ?? '' });
  expect(second.worktree?.files.map(({ path }) => path).sort()).toEqual(['b.txt', 'c.txt']);
  await opened.runs(3);
  await opened.prompt('Land it.');
  expect(await opened.session.messageAgent(id, 'Third.')).toMatchObject({ ok: true });
  expect((await waitForEnd(opened, 3)).text).toBe('Third, landed.');
  await opened.session.close();
  await worker.end();
});

test("RM1 PE4 a question of a remote agent waits in the submitter's queue with its badge, and the answer goes back", async () => {
  const { user } = openGround();
  const worker = user.startWorker(
    [
      call('Write', { file_path: 'b.txt', content: 'x' }),
      expecting({ isError: false }, call('Write', { file_path: 'c.txt', content: 'x' })),
      expecting({ isError: true, toolResult: 'Not that one.' }, say('End.')),
    ],
    { highestMode: 'default' },
  );
  const asked: string[] = [];
  const opened = await user.open([hire(), say('Started.'), say('Seen.')], {
    onQuestion: async ({ asker, agentId, input, id }) => {
      asked.push(
        `${asker.type} ${asker.description} ${agentId?.[0]} ${input.file_path} ${id.startsWith(`${agentId}/`)}`,
      );
      return String(input.file_path).endsWith('b.txt')
        ? { behaviour: 'allow', scope: 'saved' }
        : { behaviour: 'deny', message: 'Not that one.' };
    },
  });
  await opened.prompt('Go.');
  expect(await waitForEnd(opened)).toMatchObject({ status: 'completed', text: 'End.' });
  expect(asked.map((line) => line.replace(/\S*\/(?=[bc]\.txt)/, ''))).toEqual([
    'general-purpose Help out r b.txt true',
    'general-purpose Help out r c.txt true',
  ]);
  worker.model.assertConsumed();
  await opened.session.close();
  await worker.end();
});

test('TS5 a remote agent that is stopped ends with what it has done', async () => {
  const { user } = openGround();
  const worker = user.startWorker([call('Write', { file_path: 'b.txt', content: 'x\n' }), hang()]);
  const opened = await user.open([hire(), say('Started.'), say('Stopped, I see.')]);
  await opened.prompt('Go.');
  await waitFor(() => worker.model.requests[1]);
  const { id } = findRemote(opened, user.at);
  expect(opened.session.send({ type: 'stop_task', taskId: id })).toMatchObject({ ok: true });
  const end = await waitForEnd(opened);
  expect(end).toMatchObject({ status: 'killed', reason: 'stopped by the user' });
  expect(end.worktree?.files.map(({ path }) => path)).toEqual(['b.txt']);
  await opened.session.close();
  await worker.end();
});

test('RM1 without a worker the agent waits, which is said once, and it can be stopped; no worker begins it later', async () => {
  const { user } = openGround();
  const opened = await user.open([hire({ host: 'gpu' }), say('Started.'), say('Stopped, I see.')]);
  await opened.prompt('Go.');
  await waitFor(() => findRemote(opened, user.at).agent?.progress.activities[0]);
  const { id, agent } = findRemote(opened, user.at);
  expect(agent?.progress.activities).toEqual(['Waiting for a worker']);
  opened.session.send({ type: 'stop_task', taskId: id });
  expect(await waitForEnd(opened)).toMatchObject({ status: 'killed' });
  await opened.session.close();
  const worker = user.startWorker([say('Never.')]);
  await worker.end();
  expect(worker.model.requests).toEqual([]);
});

test('AG1 RM1 without an engine isolation: remote is not offered, and a call says what to set', async () => {
  const { user } = openGround();
  const far = { description: 'Far away.', prompt: 'x', isolation: 'remote' as const };
  const opened = await user.open(
    [
      hire(),
      expecting(
        { isError: true, toolResult: 'CADRE_ENGINE' },
        hire({ subagent_type: 'far', isolation: undefined }),
      ),
      expecting({ isError: true, toolResult: 'remote.engine' }, say('No.')),
    ],
    { engine: undefined, agents: { far } } as never,
  );
  await opened.prompt('Go.');
  opened.model.assertConsumed();
  expect(JSON.stringify(opened.model.requests[0]?.tools)).not.toContain('remote');
  await opened.session.close();
});

test('AG1 --remote sends agents to workers unless their call or definition says where', async () => {
  const { user } = openGround();
  const worker = user.startWorker([say('Far.')]);
  const opened = await user.open(
    [hire({ isolation: undefined }), say('Started.'), expecting({ userText: 'Far.' }, say('Seen.'))],
    { remote: true },
  );
  await opened.prompt('Go.');
  expect((await waitForEnd(opened)).text).toBe('Far.');
  await opened.runs(2);
  opened.model.assertConsumed();
  await opened.session.close();
  await worker.end();
});

test('G1 the share of a remote agent is reserved whole while it runs, and what it did not use is given back', async () => {
  const { user } = openGround();
  const worker = user.startWorker([call('Read', { file_path: 'a.txt' }), hang()]);
  const opened = await user.open([hire(), say('Started.'), say('Stopped, I see.')], { maxTokens: 1_000_000 });
  await opened.prompt('Go.');
  const { id } = findRemote(opened, user.at);
  await waitFor(() => worker.model.requests[1]);
  const ledger = join(user.at.home, 'projects');
  expect(existsSync(ledger)).toBe(true);
  opened.session.send({ type: 'stop_task', taskId: id });
  await waitForEnd(opened);
  await opened.runs(2);
  const row = opened.session.cost().rows.find(({ agentId }) => agentId === id);
  expect(row?.requests).toBeGreaterThan(0);
  await opened.session.close();
  await worker.end();
});

test('AG5 RM1 uncommitted changes travel when worktrees begin with them, and files that agents may not read never', async () => {
  const { user } = openGround();
  writeFileSync(join(user.at.cwd, 'new.txt'), 'new\n');
  writeFileSync(join(user.at.cwd, '.env'), 'KEY=secret\n');
  const worker = user.startWorker([call('Glob', { pattern: '**' }), say('Seen.')]);
  const opened = await user.open([hire(), say('Started.'), say('End.')], {
    settings: JSON.stringify({
      remote: { label: 'any' },
      worktree: { uncommitted: true },
      permissions: { deny: ['Read(.env)'] },
    }),
  });
  await opened.prompt('Go.');
  expect(await waitForEnd(opened)).toMatchObject({ status: 'completed' });
  const seen = JSON.stringify(worker.model.requests[1]?.messages);
  expect(seen).toContain('new.txt');
  expect(seen).not.toContain('.env');
  await opened.session.close();
  await worker.end();
});

test('AG1 --remote without an engine is refused with what to give', async () => {
  const { user } = openGround();
  const refused = user.open([], { remote: true, engine: false });
  await expect(refused).rejects.toThrow('--remote: agents run on workers, but no engine is set.');
});

test('G8 RM1 a remote agent that takes too long is stopped, and says so', async () => {
  const { user } = openGround();
  const worker = user.startWorker([call('Write', { file_path: 'b.txt', content: 'x\n' }), hang()]);
  const opened = await user.open([hire(), say('Started.'), say('I see.')], {
    agentLimits: { timeoutSeconds: 3 },
  });
  await opened.prompt('Go.');
  const end = await waitForEnd(opened);
  expect(end).toMatchObject({ status: 'failed', outcome: 'timed_out' });
  await opened.session.close();
  await worker.end();
});

test('TS7 a program starts a remote agent and has a handle for it', async () => {
  const { user } = openGround();
  const worker = user.startWorker([expecting({ userText: 'Far.' }, say('Done far away.'))]);
  const opened = await user.open([say('Seen.')]);
  const task = await opened.session.spawn({ kind: 'remote_agent', prompt: 'Far.', host: 'any' });
  expect(task).toMatchObject({ ok: true, value: { kind: 'remote_agent' } });
  expect(task.ok && (await task.value.result())).toMatchObject({ text: 'Done far away.' });
  expect(await opened.session.spawn({ kind: 'remote_agent', prompt: 'x', host: '-' })).toMatchObject({
    ok: false,
  });
  await opened.session.close();
  await worker.end();
});
