import { expect, test } from 'bun:test';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MovedTo, textOf } from '../../../src/protocol/index.ts';
import type { Engine } from '../../../src/remote/engine.ts';
import { listMoves } from '../../../src/session/moves/move-index.ts';
import type { Session } from '../../../src/session/session.ts';
import { call, expecting, hang, say, type TurnMaker } from '../../../src/testing/index.ts';
import { get } from '../../remote/support.ts';
import { cutEngine, openMemoryEngine, startWorker, waitFor } from '../../remote/worker-ground.ts';
import { temporaryDirectory } from '../../support/index.ts';
import { attachTo, openMovedClient } from './client.ts';
import { type Home, moveAway, openHome, watch } from './ground.ts';

const delegate = call('Agent', {
  ...{ description: 'Add lines', prompt: 'Add lines.', subagent_type: 'general-purpose' },
  run_in_background: true,
});

test('RM4 a running session moves to a worker at the next step with its files, and back', async () => {
  const { engine } = openMemoryEngine();
  const home = openHome(engine);
  writeFileSync(join(home.at.cwd, 'draft.txt'), 'not committed\n');
  const { session } = await home.open([call('Write', { file_path: 'b.txt', content: 'two\n' }), hang()]);
  session.send({ type: 'prompt', content: 'Write three files.' });
  const worker = startWorker({
    engine,
    trusts: [home.key.name],
    turns: [
      expecting({ userText: 'You continue on another machine' }, call('Read', { file_path: 'draft.txt' })),
      expecting({ toolResult: 'not committed' }, call('Write', { file_path: 'c.txt', content: 'three\n' })),
      hang(),
    ],
  });
  home.trust(worker.key);
  await waitFor(() => existsSync(join(home.at.cwd, 'b.txt')) || undefined);
  const to = await moveAway(session);
  expect(to.name).toBe('any');
  await waitFor(() => (worker.model.requests.length === 3 ? true : undefined));
  const refused = await home.open([], { resume: { from: 'latest' } }).catch((error: Error) => error.message);
  expect(refused).toContain('runs on the worker any');
  expect(get(await home.bring(session.id))).toEqual({ kind: 'checkout' });
  expect(readFileSync(join(home.at.cwd, 'c.txt'), 'utf8')).toBe('three\n');
  expect(home.run('status', '--porcelain', '--untracked-files=all').split('\n').filter(Boolean)).toEqual([
    '?? b.txt',
    '?? c.txt',
    '?? draft.txt',
  ]);
  await worker.end();
  const again = await home.open(
    [expecting({ userText: 'You continue on another machine' }, say('All three are written.'))],
    { resume: { from: 'id', id: session.id } },
  );
  expect(again.session.continueSuspended()).toBe(true);
  await again.session.settled();
  again.model.assertConsumed();
  const texts = again.session.messages().map(({ message }) => JSON.stringify(message.content));
  expect(texts.filter((text) => text.includes('"three\\n"'))).toHaveLength(1);
  await again.session.close();
}, 60_000);

test('RM4 a session is moved although its program closes it as soon as its run has ended', async () => {
  const { engine } = openMemoryEngine();
  const home = openHome(engine);
  const { session } = await home.open([hang()]);
  const seen = watch(await withWorkerNote(engine, session));
  session.send({ type: 'prompt', content: 'Write.' });
  await waitFor(() => session.messages()[0]);
  get(session.send({ type: 'move', engine: 'the own one', to: 'any' }));
  await waitFor(() => seen.find((event) => event.type === 'run_ended'));
  await session.close();
  expect(seen.find((event) => event.type === 'session_moved')).toMatchObject({ to: { name: 'any' } });
  const { jobId } = await moved(home, engine, session.id);
  expect(get(await engine.take('any'))?.id).toBe(jobId);
}, 60_000);

test('RM4 files that were changed here meanwhile stay, and those of the session come back as a worktree', async () => {
  const { engine } = openMemoryEngine();
  const home = openHome(engine);
  const { session } = await home.open([hang()]);
  session.send({ type: 'prompt', content: 'Write.' });
  const worker = startWorker({
    engine,
    trusts: [home.key.name],
    turns: [call('Write', { file_path: 'a.txt', content: 'from there\n' }, 'w1'), hang()],
  });
  home.trust(worker.key);
  await waitFor(() => session.messages()[0]);
  await moveAway(session);
  // It has not read the file there, so the first attempt is refused, and that is enough of a step.
  await waitFor(() => (worker.model.requests.length === 2 ? true : undefined));
  writeFileSync(join(home.at.cwd, 'a.txt'), 'from here\n');
  const back = get(await home.bring(session.id));
  expect(readFileSync(join(home.at.cwd, 'a.txt'), 'utf8')).toBe('from here\n');
  expect(back.kind).toBe('worktree');
  await worker.end();
  const records = readFileSync(session.info().transcriptPath ?? '', 'utf8')
    .trim()
    .split('\n');
  expect(JSON.parse(records.at(-1) ?? '')).toMatchObject({
    ...{ type: 'moved', to: null },
    note: expect.stringContaining('your own changes are in the worktree moved-'),
  });
}, 60_000);

test('RM4 where the engine has lost all that it had of a session, it is said how a copy continues', async () => {
  const { engine } = openMemoryEngine();
  const home = openHome(engine);
  const { session } = await home.open([hang()]);
  session.send({ type: 'prompt', content: 'Write.' });
  await waitFor(() => session.messages()[0]);
  const { jobId } = await moveAway(await withWorkerNote(engine, session));
  get(await engine.remove(jobId));
  const back = await home.bring(session.id, 0);
  expect(back.ok ? '' : back.problem.hint).toContain(`cadre --resume ${session.id} --fork-session`);
  const copy = await home.open([say('Here.')], { resume: { from: 'id', id: session.id }, fork: true });
  copy.session.send({ type: 'prompt', content: 'Go on.' });
  await copy.session.settled();
  copy.model.assertConsumed();
  await copy.session.close();
}, 60_000);

test('RM4 G14 where the worker is gone, the last finished step counts, and it is refused from then on', async () => {
  const { engine } = openMemoryEngine();
  const home = openHome(engine);
  const far = cutEngine(engine);
  const { session } = await home.open([hang()]);
  session.send({ type: 'prompt', content: 'Write.' });
  const worker = startWorker({
    engine: far.engine,
    trusts: [home.key.name],
    turns: [call('Write', { file_path: 'b.txt', content: 'two\n' }), hang()],
  });
  home.trust(worker.key);
  await waitFor(() => session.messages()[0]);
  await moveAway(session);
  await waitFor(() => (worker.model.requests.length === 2 ? true : undefined));
  await waitFor(async () => {
    const rows = get(await engine.read((await moved(home, engine, session.id)).jobId, 'steps', 0, 1000));
    return rows.some(({ body }) => body.includes('Created')) || undefined;
  });
  const { jobId } = await moved(home, engine, session.id);
  far.cut(true);
  expect(get(await home.bring(session.id, 500))).toEqual({ kind: 'checkout' });
  expect(readFileSync(join(home.at.cwd, 'b.txt'), 'utf8')).toBe('two\n');
  expect(get(await engine.append(jobId, [{ stream: 'steps', key: 'late', body: '{}' }], 1))).toBe('stale');
  far.cut(false);
  await worker.end();
}, 60_000);

test('RM4 a prompt that was not read goes along, and one that came too late comes back', async () => {
  const { engine } = openMemoryEngine();
  const home = openHome(engine);
  const { session } = await home.open([hang()]);
  session.send({ type: 'prompt', content: 'First.' });
  await waitFor(() => session.messages()[0]);
  session.send({ type: 'prompt', content: 'Second.', delivery: 'queue', uuid: crypto.randomUUID() });
  const to = await moveAway(await withWorkerNote(engine, session));
  const late = { type: 'prompt' as const, content: 'Third.', uuid: crypto.randomUUID() };
  const client = await openMovedClient(home, engine, session.id);
  void client.send(late);
  await waitFor(async () => get(await engine.read(to.jobId, 'commands', 0, 10))[0]);
  client.close();
  expect(get(await home.bring(session.id, 200))).toEqual({ kind: 'checkout' });
  const again = await home.open(() => say('Heard.'), { resume: { from: 'id', id: session.id } });
  again.session.continueSuspended();
  await again.session.settled();
  const texts = again.session
    .messages()
    .filter((record) => record.type === 'user' && record.origin.kind === 'human')
    .map(({ message }) => textOf(message.content));
  expect(texts).toEqual(['First.', 'Second.', 'Third.']);
  await again.session.close();
}, 60_000);

test('RM4 PE a moved session is held to the ceiling of its worker, whoever signed the command', async () => {
  const { engine } = openMemoryEngine();
  const home = openHome(engine);
  const { session } = await home.open([hang()], { permissionMode: 'bypassPermissions', allowBypass: true });
  session.send({ type: 'prompt', content: 'Write.' });
  const worker = startWorker({
    ...{ engine, trusts: [home.key.name], highestMode: 'default' as const },
    turns: [call('Write', { file_path: 'b.txt', content: 'two\n' }), hang()],
  });
  home.trust(worker.key);
  await waitFor(() => session.messages()[0]);
  await moveAway(session);
  await waitFor(() => worker.model.requests[0]);
  const attached = await attachTo(home, engine, session.id);
  const seen = watch(attached);
  const asked = await waitFor(() => seen.find((event) => event.type === 'question_asked'));
  expect(await attached.command({ type: 'set_permission_mode', mode: 'bypassPermissions' })).toMatchObject({
    ok: false,
    problem: { message: 'This worker allows no mode above default.' },
  });
  const answer = { behaviour: 'allow' as const, scope: 'saved' as const, mode: 'bypassPermissions' as const };
  if (asked.type !== 'question_asked') throw new Error('no question');
  attached.send({ type: 'answer', questionId: asked.question.id, answer });
  await waitFor(() => (worker.model.requests.length === 2 ? true : undefined));
  expect(attached.info().permissionMode).toBe('default');
  expect(existsSync(join(worker.home, 'settings.json'))).toBe(false);
  await attached.close();
  await home.bring(session.id);
  await worker.end();
}, 60_000);

test('RM2 RM4 G14 a worker that ends gives the whole tree to another one, at a step', async () => {
  const { engine } = openMemoryEngine();
  const home = openHome(engine);
  const answer: TurnMaker = ({ messages }) => {
    const all = JSON.stringify(messages);
    if (!JSON.stringify(messages[0]).includes('Add lines.'))
      return all.includes('Add lines.') ? say('Started.') : delegate;
    if (all.includes('added 2')) return say('Both.');
    if (all.includes('added 1') && !all.includes('You continue on another machine')) return hang();
    const next = all.includes('added 1') ? 2 : 1;
    return call('Bash', { command: `echo ${next} >> lines.txt; echo added ${next}` });
  };
  const options = { engine, highestMode: 'bypassPermissions' as const, turns: answer };
  const { session } = await home.open([hang()], { permissionMode: 'bypassPermissions', allowBypass: true });
  session.send({ type: 'prompt', content: 'Go.' });
  const first = startWorker({ ...options, trusts: [home.key.name] });
  await waitFor(() => session.messages()[0]);
  await moveAway(session);
  await waitFor(
    () =>
      first.model.requests.some(({ messages }) => JSON.stringify(messages).includes('added 1')) || undefined,
  );
  await first.end();
  const second = startWorker({ ...options, name: 'w2', trusts: [home.key.name, first.key] });
  for (const { key } of [first, second]) home.trust(key);
  const { jobId } = await moved(home, engine, session.id);
  await waitFor(async () => {
    const rows = get(await engine.read(jobId, 'events', 0, 1000));
    return rows.some(({ body }) => body.includes('"text":"Both."')) || undefined;
  });
  expect(get(await home.bring(session.id))).toEqual({ kind: 'checkout' });
  expect(readFileSync(join(home.at.cwd, 'lines.txt'), 'utf8')).toBe('1\n2\n');
  await second.end();
}, 90_000);

test('RM4 G14 an agent that began here works in the files of each worker that has the session', async () => {
  const { engine } = openMemoryEngine();
  const home = openHome(engine);
  const answer: TurnMaker = ({ messages }) => {
    const all = JSON.stringify(messages);
    if (!JSON.stringify(messages[0]).includes('Add lines.'))
      return all.includes('Add lines.') ? say('Started.') : delegate;
    const isThere = (name: string) => all.includes(`/${name}/`);
    if (!isThere('w1-jobs') || (all.includes('added 1') && !isThere('w2-jobs')) || all.includes('added 2'))
      return hang();
    const next = all.includes('added 1') ? 2 : 1;
    return call('Bash', { command: `echo ${next} >> lines.txt; echo added ${next}` });
  };
  const start = (name: string, trusts: string[]) =>
    startWorker({
      ...{ engine, name, trusts, highestMode: 'bypassPermissions' as const, turns: answer },
      directory: join(temporaryDirectory().path, `${name}-jobs`),
    });
  const { session } = await home.open(answer, { permissionMode: 'bypassPermissions', allowBypass: true });
  session.send({ type: 'prompt', content: 'Go.' });
  const first = start('w1', [home.key.name]);
  const saw = (worker: typeof first, text: string) =>
    waitFor(
      () =>
        worker.model.requests.some(({ messages }) => JSON.stringify(messages).includes(text)) || undefined,
    );
  await waitFor(() => session.tasks()[0]);
  await moveAway(session);
  await saw(first, 'added 1');
  await first.end();
  const second = start('w2', [home.key.name, first.key]);
  for (const { key } of [first, second]) home.trust(key);
  await saw(second, 'added 2');
  expect(existsSync(join(home.at.cwd, 'lines.txt'))).toBe(false);
  expect(get(await home.bring(session.id))).toEqual({ kind: 'checkout' });
  expect(readFileSync(join(home.at.cwd, 'lines.txt'), 'utf8')).toBe('1\n2\n');
  await second.end();
}, 90_000);

test('RM4 SE1 what a process still writes after its session was moved is ignored', async () => {
  const { engine } = openMemoryEngine();
  const home = openHome(engine);
  const { session } = await home.open([say('Heard.')]);
  session.send({ type: 'prompt', content: 'First.' });
  await session.settled();
  const path = session.info().transcriptPath ?? '';
  const before = readFileSync(path, 'utf8').trim().split('\n');
  await moveAway(await withWorkerNote(engine, session));
  const late = JSON.parse(before.findLast((line) => line.includes('"type":"assistant"')) ?? '');
  appendFileSync(path, `${JSON.stringify({ ...late, uuid: crypto.randomUUID(), parentUuid: late.uuid })}\n`);
  expect(get(await home.bring(session.id, 200))).toEqual({ kind: 'checkout' });
  const again = await home.open([], { resume: { from: 'id', id: session.id } });
  expect(again.session.messages().filter(({ type }) => type === 'assistant')).toHaveLength(1);
  await again.session.close();
}, 60_000);

async function moved(home: Home, engine: Engine, id: string): Promise<MovedTo> {
  const entry = get(await listMoves(engine, home.key)).find(({ session }) => session === id);
  if (!entry) throw new Error('it was not moved');
  return entry.job;
}

/** A worker that is listed and takes nothing. */
async function withWorkerNote(engine: Engine, session: Session): Promise<Session> {
  const note = { labels: ['any'], slots: 1, running: 0, state: 'ready', version: '0', host: 'here', load: 0 };
  get(await engine.note('worker', 'busy', JSON.stringify(note), 60_000));
  return session;
}
