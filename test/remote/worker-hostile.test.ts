import { expect, test } from 'bun:test';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JobOrder, streams } from '../../src/remote/job.ts';
import { call, expecting, say } from '../../src/testing/index.ts';
import { temporaryDirectory } from '../support/index.ts';
import { openMemoryEngine, openSubmitter, startWorker, waitFor } from './worker-ground.ts';

test('a worker keeps its ceiling: tools beyond it, and the mode of a definition, have no effect', async () => {
  const { engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const worker = startWorker({
    engine,
    trusts: [submitter.key.name],
    highestMode: 'default',
    asks: false,
    tools: ['Read', 'Write'],
    turns: [
      ({ tools }) => {
        expect(tools.map(({ name }) => name)).not.toContain('Bash');
        return call('Bash', { command: 'touch escaped' });
      },
      expecting({ isError: true }, call('Write', { file_path: 'b.txt', content: 'x' })),
      expecting({ isError: true }, say('No.')),
    ],
  });
  const order = await submitter.submit({
    permissionMode: 'bypassPermissions',
    agent: {
      type: 'mine',
      definition: {
        description: 'x',
        prompt: 'x',
        tools: ['Bash', 'Read', 'Write'],
        permissionMode: 'bypassPermissions',
      },
    },
  });
  expect((await submitter.result(order.id)).outcome).toMatchObject({ kind: 'completed', text: 'No.' });
  worker.model.assertConsumed();
  await worker.end();
});

test('an agent that brings programs along, or leads out of its repository, is refused before a model is asked', async () => {
  const { engine } = openMemoryEngine();
  const outside = temporaryDirectory().path;
  const submitter = openSubmitter(engine);
  symlinkSync(outside, join(submitter.top, 'link'));
  submitter.run('add', '-A');
  submitter.run('commit', '-q', '-m', 'link');
  const worker = startWorker({ engine, trusts: [submitter.key.name] });
  const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: `touch ${outside}/hooked` }] }] };
  const mcpServers = [{ evil: { command: 'touch', args: [`${outside}/served`] } }];
  const agentOf = (more: Record<string, unknown>) => ({
    type: 'mine',
    definition: { description: 'x', prompt: 'x', ...more },
  });
  const attempts: [Partial<JobOrder>, string][] = [
    [{ agent: agentOf({ hooks }) }, 'has hooks'],
    [{ agent: agentOf({ mcpServers }) }, 'has mcpServers'],
    [{ stands: 'link/below' }, 'leads out of the repository'],
    [{ agent: { type: '__proto__' } }, '__proto__'],
  ];
  for (const [changes, reason] of attempts) {
    const order = await submitter.submit(changes);
    const { outcome } = await submitter.result(order.id);
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining(reason) });
  }
  expect(worker.model.requests.length).toBe(0);
  expect(['hooked', 'served', 'below'].filter((name) => existsSync(join(outside, name)))).toEqual([]);
  await worker.end();
});

test('an order with odd names or paths is not accepted', async () => {
  const { engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const worker = startWorker({ engine, trusts: [submitter.key.name] });
  const attempts: Partial<JobOrder>[] = [
    { stands: '../..' },
    { stands: '/etc' },
    { stands: 'a/.git/hooks' },
    { stands: 'a/.GIT' },
    { id: '../../escape' },
    { sessionId: '../../escape' },
    { repository: '../escape' },
    { base: '--upload-pack=touch /tmp/x' },
    { permissionMode: 'everything' as never },
  ];
  for (const changes of attempts) {
    const order = await submitter.submit(changes);
    const [refusal] = await waitFor(async () => {
      const rows = await submitter.rowsOf(order.id, streams.refusals);
      return rows.length > 0 ? rows : undefined;
    });
    expect(refusal?.body).toContain('its order is not valid');
  }
  expect(worker.model.requests.length).toBe(0);
  await worker.end();
});

test('a history with files of git itself is not checked out', async () => {
  const { engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const blob = submitter.run('hash-object', '-w', 'a.txt');
  const tree = (entries: string) => {
    writeFileSync(join(submitter.home, 'entries'), entries);
    return submitter.runShell(`git mktree < ${join(submitter.home, 'entries')}`);
  };
  const hooks = tree(`100755 blob ${blob}\tpost-checkout\n`);
  const git = tree(`040000 tree ${hooks}\thooks\n`);
  const top = tree(`040000 tree ${git}\t.git\n`);
  const commit = submitter.run('commit-tree', '-m', 'hostile', '-p', 'HEAD', top);
  submitter.run('update-ref', 'refs/heads/main', commit);
  const worker = startWorker({ engine, trusts: [submitter.key.name] });
  const order = await submitter.submit();
  const { outcome } = await submitter.result(order.id);
  expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringContaining('invalid path') });
  expect(worker.model.requests.length).toBe(0);
  await worker.end();
});

test('what a worker with an unknown key has begun is not continued, and the submitter can see why', async () => {
  const { engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const first = startWorker({
    engine,
    trusts: [submitter.key.name],
    turns: [call('Write', { file_path: 'b.txt', content: 'x' }), () => new Promise(() => {})],
  });
  const order = await submitter.submit();
  await waitFor(() => first.model.requests[1]);
  await first.end();
  const second = startWorker({ engine, name: 'w2', trusts: [submitter.key.name] });
  const [refusal] = await waitFor(async () => {
    const rows = await submitter.rowsOf(order.id, streams.refusals);
    return rows.length > 0 ? rows : undefined;
  });
  expect(refusal?.body).toContain(first.key);
  await second.end();
  expect(second.model.requests.length).toBe(0);
});

test('a job sees neither the address of the engine nor the keys of its worker', async () => {
  const { engine } = openMemoryEngine();
  const submitter = openSubmitter(engine);
  const worker = startWorker({
    engine,
    trusts: [submitter.key.name],
    highestMode: 'bypassPermissions',
    environment: { CADRE_ENGINE: 'redis://:hidden-word@127.0.0.1', ANTHROPIC_API_KEY: 'hidden-key' },
    turns: [
      call('Bash', { command: 'env; echo shown' }),
      expecting({ toolResult: 'shown' }, say('Nothing.')),
    ],
  });
  const order = await submitter.submit({ permissionMode: 'bypassPermissions' });
  expect((await submitter.result(order.id)).outcome.text).toBe('Nothing.');
  expect(JSON.stringify(worker.model.requests)).not.toContain('hidden-');
  await worker.end();
});
