import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import type { Session } from '../../src/session/session.ts';
import { call, type FixedTurn, hang, lastUserText, say, scriptedModel } from '../../src/testing/index.ts';
import { follow, type Opened, type Place, place } from './support.ts';

const meta = "export const meta = { name: 'w', description: 'Tests.', phases: ['look'] };\n";

function write(at: Place, body: string, name = 'w.js'): void {
  const directory = join(at.home, 'workflows');
  mkdirSync(directory, { recursive: true });
  mkdirSync(at.cwd, { recursive: true });
  writeFileSync(join(directory, name), body.includes('export const meta') ? body : meta + body);
}

/** A session whose agents and lead answer by what they were last told. */
async function openWith(
  at: Place,
  reply: (text: string, request: ModelRequest) => FixedTurn | Promise<FixedTurn>,
  options: SessionOptions = {},
): Promise<Opened> {
  mkdirSync(at.cwd, { recursive: true });
  const model = scriptedModel((request) => reply(lastUserText(request), request));
  const opened = await openSession({
    cwd: at.cwd,
    environment: at.environment,
    model,
    sandbox: false,
    ...options,
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  return follow(opened.value, model);
}

async function start(
  session: Session,
  wish: { name?: string; args?: unknown; resume?: string; yes?: boolean },
) {
  const task = await session.spawn({ kind: 'local_workflow', ...wish });
  if (!task.ok) throw new Error(task.problem.message);
  const end = await session.workflows().ended(task.value.id);
  if (!end) throw new Error('no such run');
  return { task: task.value, end, taskEnd: await task.value.result() };
}

test('TS6 TS7 a workflow is a task: its agents work, its owner is told, its events can be shown', async () => {
  const at = place();
  write(
    at,
    `phase('look');
    const found = await agent('count the files', { label: 'count', schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } });
    phase('write');
    const [text] = await parallel([() => agent('write ' + found.n)]);
    return { n: found.n, text, who: args.who };`,
  );
  const { session, events, model, runs } = await openWith(at, (text) => {
    if (text.includes('count the files')) return call('SyntheticOutput', { n: 3 });
    if (text.includes('write 3')) return say('three files');
    return say('noted');
  });
  const { task, end, taskEnd } = await start(session, { name: 'w', args: { who: 'me' } });
  expect(end).toMatchObject({
    status: 'completed',
    value: { n: 3, text: 'three files', who: 'me' },
    census: { outcomes: { ok: 2 }, verdicts: { EXECUTED: 2 } },
  });
  expect(task.id).toStartWith('w');
  expect(taskEnd).toMatchObject({ status: 'completed', outcome: 'completed' });
  expect(taskEnd.text).toContain('2 calls: 2 ok');
  expect(readFileSync(task.outputFile, 'utf8')).toContain('== write');
  await runs(1);
  expect(lastUserText(model.requests.at(-1) as ModelRequest)).toContain('<task-notification>');
  const changed = events.flatMap((event) => (event.type === 'workflow_changed' ? [event.workflow] : []));
  expect(changed.at(-1)).toMatchObject({
    status: 'completed',
    phases: ['look', 'write'],
    calls: { total: 2 },
  });
  const calls = events.flatMap((event) => (event.type === 'workflow_call_changed' ? [event.call] : []));
  expect(
    calls.filter(({ state }) => state === 'ended').map(({ label, verdict }) => [label, verdict]),
  ).toEqual([
    ['count', 'EXECUTED'],
    ['write 3', 'EXECUTED'],
  ]);
  await session.close();
});

test('TS8 PE7 tools, system text and hidden files of a call hold when a tool runs', async () => {
  const at = place();
  write(
    at,
    `return await agent('look', { tools: ['Read', 'Grep'], system: 'You only read.', hiddenFiles: ['**/secret.txt'] });`,
  );
  mkdirSync(at.cwd, { recursive: true });
  writeFileSync(join(at.cwd, 'secret.txt'), 'the secret');
  writeFileSync(join(at.cwd, 'open.txt'), 'plain');
  const asked: ModelRequest[] = [];
  const turns = [
    call('Read', { file_path: join(at.cwd, 'secret.txt') }),
    call('Bash', { command: 'cat secret.txt' }),
    call('Read', { file_path: join(at.cwd, 'open.txt') }),
    call('Write', { file_path: join(at.cwd, 'new.txt'), content: 'x' }),
    say('done'),
  ];
  const { session } = await openWith(
    at,
    (_, request) => {
      if (request.asker?.agentId === null) return say('noted');
      asked.push(request);
      return turns[asked.length - 1] ?? say('more');
    },
    { permissionMode: 'bypassPermissions' },
  );
  const { end } = await start(session, { name: 'w' });
  expect(end).toMatchObject({ status: 'completed', value: 'done' });
  expect(asked[0]?.tools.map(({ name }) => name).sort()).toEqual(['Grep', 'Read']);
  expect(asked[0]?.system.join('\n')).toContain('You only read.');
  const results = JSON.stringify(asked.at(-1)?.messages);
  expect(results).not.toContain('the secret');
  expect(results).toContain('plain');
  await session.close();
});

test('TS8 a run that another session continues replays what is finished and resumes what was cut off', async () => {
  const at = place();
  write(at, "const a = await agent('first'); const b = await agent('second'); return [a, b];");
  const hung = Promise.withResolvers<void>();
  const { session } = await openWith(at, (text, request) => {
    if (request.asker?.agentId === null) return say('noted');
    if (text.includes('first')) return say('one');
    hung.resolve();
    return hang(say('half'));
  });
  const task = await session.spawn({ kind: 'local_workflow', name: 'w' });
  if (!task.ok) throw new Error(task.problem.message);
  await hung.promise;
  const ended = session.workflows().ended(task.value.id);
  await session.close();
  const before = await ended;
  expect(before).toMatchObject({ status: 'stopped', census: { outcomes: { ok: 1, interrupted: 1 } } });

  // Edited without a change of its calls, and from another directory.
  write(
    at,
    "const got = []; for (const p of ['first', 'second']) got.push(await agent(p, { label: 'x' + p })); return got;",
  );
  const elsewhere = { ...at, cwd: join(at.cwd, 'other') };
  const told: string[] = [];
  const again = await openWith(elsewhere, (_text, request) => {
    if (request.asker?.agentId === null) return say('noted');
    told.push(JSON.stringify(request.messages));
    return say('two');
  });
  const { end } = await start(again.session, { resume: before?.runId ?? '' });
  expect(end).toMatchObject({
    status: 'completed',
    value: ['one', 'two'],
    census: { verdicts: { REPLAYED: 1, EXECUTED: 1 } },
  });
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('second');
  expect(told[0]).toContain('you continue now');
  await again.session.close();
});

test('TS8 a key that is refused suspends the run: one request, no call fails, resumed it ends well', async () => {
  const at = place();
  write(at, "return await parallel(args.map((n) => () => agent('task ' + n)));");
  const args = Array.from({ length: 20 }, (_, index) => index);
  let requests = 0;
  const failure = { kind: 'authentication' as const, message: 'The key was refused.', status: 401 };
  const { session } = await openWith(at, () => {
    requests++;
    return { failure };
  });
  const { end, taskEnd } = await start(session, { name: 'w', args });
  expect(end).toMatchObject({
    status: 'suspended',
    census: { outcomes: { ok: 0, failed: 0 } },
  });
  expect(end.reason).toContain('The key was refused');
  expect(taskEnd).toMatchObject({ status: 'killed', outcome: 'interrupted' });
  expect(requests).toBeLessThanOrEqual(9);
  await session.close();
  const again = await openWith(at, () => say('ok'));
  const { end: after } = await start(again.session, { resume: end.runId });
  expect(after).toMatchObject({ status: 'completed', census: { outcomes: { ok: 20 } } });
  await again.session.close();
});

test('G13 TS8 a provider that cannot be reached suspends the run: no call fails, resumed it ends well', async () => {
  const at = place();
  write(at, "return await parallel(args.map((n) => () => agent('task ' + n)));");
  const args = Array.from({ length: 20 }, (_, index) => index);
  const failure = { kind: 'network' as const, message: 'Nothing listens there.', unsent: true as const };
  const { session, model } = await openWith(at, () => ({ failure }));
  const { end } = await start(session, { name: 'w', args });
  expect(end).toMatchObject({ status: 'suspended', census: { outcomes: { ok: 0, failed: 0 } } });
  expect(model.requests.length).toBeLessThanOrEqual(8 * 3);
  await session.close();
  const again = await openWith(at, () => say('ok'));
  const { end: after } = await start(again.session, { resume: end.runId });
  expect(after).toMatchObject({ status: 'completed', census: { outcomes: { ok: 20 } } });
  await again.session.close();
});

test('TS6 calls that a script makes together are counted together before the first begins', async () => {
  const at = place();
  write(at, "return await Promise.all(Array.from({ length: 300 }, (_, n) => agent('task ' + n)));");
  const { session, model } = await openWith(at, () => say('ok'));
  const { end } = await start(session, { name: 'w' });
  expect(end.status).toBe('stopped');
  expect(end.reason).toContain('would start 300 agents');
  expect(model.requests).toHaveLength(0);
  await session.close();
});

test('TS6 what is wrong is said before anything starts', async () => {
  const at = place();
  write(at, "export const meta = { name: 'w', description: 'd', args: { type: 'array' } }; return 1;");
  write(at, "export const meta = { name: 'broken', description: f() };", 'broken.js');
  const repository = join(at.cwd, '.cadre', 'workflows');
  mkdirSync(repository, { recursive: true });
  writeFileSync(
    join(repository, 'theirs.js'),
    "export const meta = { name: 'theirs', description: 'd' }; return 1;",
  );
  const { session } = await openWith(at, () => say('noted'), {
    settings: '{"workflows": {"askAboveAgents": 2}}',
  });
  const refused = async (wish: object) => {
    const task = await session.spawn({ kind: 'local_workflow', ...wish } as Parameters<Session['spawn']>[0]);
    return task.ok ? 'started' : task.problem.message;
  };
  expect(await refused({ name: 'w', args: 'abc' })).toContain('args: expected array, found string');
  expect(await refused({ name: 'broken' })).toContain('broken.js:1: meta: expected a literal');
  expect(await refused({ name: 'theirs' })).toContain('is not trusted');
  expect(await refused({ name: 'none' })).toContain('There is no workflow none');
  expect(await refused({ resume: 'rnone' })).toContain('rnone');
  expect(await refused({ resume: '../x' })).toContain('is not the id');
  write(at, "return await parallel([1, 2, 3].map((n) => () => agent('t' + n)));");
  const { end } = await start(session, { name: 'w' });
  expect(end).toMatchObject({ status: 'stopped' });
  expect(end.reason).toContain('would start 3 agents');
  expect((await start(session, { name: 'w', yes: true })).end).toMatchObject({ status: 'completed' });
  await session.close();
});

test('TS6 the tool and the slash command start one, and TaskStop ends it', async () => {
  const at = place();
  write(at, "return await agent('slow');");
  const hung = Promise.withResolvers<void>();
  let step = 0;
  const { session, prompt, events } = await openWith(at, (text, request) => {
    if (request.asker?.agentId !== null) {
      hung.resolve();
      return hang(say('…'));
    }
    if (text.includes('<task-notification>')) return say('it was stopped');
    step++;
    if (step === 1) return call('Workflow', { name: 'w' });
    if (step === 2) {
      const id = /task (w\w+)/.exec(JSON.stringify(request.messages.at(-1)))?.[1] ?? '';
      return hung.promise.then(() => call('TaskStop', { task_id: id }));
    }
    return say(text.includes('started the workflow w') ? 'started by hand' : 'stopped');
  });
  expect(await prompt('go')).toMatchObject({ kind: 'completed' });
  const ends = () =>
    events.flatMap((event) => (event.type === 'workflow_changed' ? [event.workflow.status] : []));
  expect(ends().at(-1)).toBe('stopped');
  expect((await prompt('/w')).text).toContain('started by hand');
  await session.close();
});

test('TS6 a slash command whose arguments the workflow refuses is shown to the user, and nothing is sent', async () => {
  const at = place();
  const shape = "{ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }";
  write(at, `export const meta = { name: 'w', description: 'Tests.', args: ${shape} };\nreturn args.n;`);
  const { session, prompt, events, model } = await openWith(at, () => say('I improvise'));
  const outcome = await prompt('/w {"n": "three"}');
  expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/^\/w: .*args/s) });
  expect(events).toContainEqual(expect.objectContaining({ type: 'prompt_refused', command: 'w' }));
  expect(model.requests).toHaveLength(0);
  await session.close();
});

test('TS8 a damaged record of a journal is named when the run is resumed, and its call runs again', async () => {
  const at = place();
  write(at, "return [await agent('one'), await agent('two')];");
  const first = await openWith(at, () => say('ok'));
  const { end } = await start(first.session, { name: 'w' });
  await first.session.close();
  const journal = join(at.home, 'workflow-runs', end.runId, 'journal.jsonl');
  const lines = readFileSync(journal, 'utf8').split('\n');
  const ended = lines.findIndex((line) => line.includes('"type":"ended"'));
  writeFileSync(journal, lines.map((line, index) => (index === ended ? line.slice(1) : line)).join('\n'));
  const { session, events } = await openWith(at, () => say('ok'));
  const { end: after } = await start(session, { resume: end.runId });
  expect(after).toMatchObject({ status: 'completed', census: { verdicts: { REPLAYED: 1, EXECUTED: 1 } } });
  const notices = events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
  expect(notices.join()).toContain(`The journal of run ${end.runId} is not as it was written: Line`);
  await session.close();
});
