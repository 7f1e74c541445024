import { expect, test } from 'bun:test';
import { findTask } from '../../src/commands/tasks/find-task.ts';
import { stopTask } from '../../src/commands/tasks/stop-task.ts';
import { lookAround } from '../../src/session/surroundings.ts';
import { type Company, flat, listAgents, nested, type Opening, openings, Walk } from './openings.ts';

/** Opens a suspended session in these ways before the reset, and once after it: every agent continues once, and is heard of once. */
async function walkThrough(company: Company, sequence: readonly Opening[]): Promise<void> {
  await using walk = await Walk.begin(company);
  await walk.start();
  const sent = walk.sent;
  for (const opening of sequence) await walk.again(opening);
  expect(walk.sent).toBe(sent);
  const session = await walk.reset();
  expect(walk.reported.toSorted()).toEqual(walk.jobs.toSorted());
  expect(listAgents(session).map(({ status, suspended }) => ({ status, suspended }))).toEqual(
    walk.jobs.map(() => ({ status: 'completed' as const, suspended: undefined })),
  );
  const heard = JSON.stringify(session.messages());
  for (const job of company.below.lead ?? []) expect(heard.split(`Report of ${job}.`)).toHaveLength(2);
  await session.close();
  const last = await walk.open({});
  expect(last.continueSuspended()).toBe(false);
  await last.close();
}

test('G13 a prompt before the reset leaves all suspended agents to be continued', async () => {
  await walkThrough(flat, ['prompt']);
});

test('G13 agents below another one continue, however often the session was opened before the reset', async () => {
  await walkThrough(nested, ['continue']);
});

test('an agent that was suspended again and again is told so once, and its lead of no end but the last', async () => {
  await using walk = await Walk.begin(flat);
  await walk.start();
  for (const opening of ['wait', 'continue', 'kill', 'prompt'] as const) await walk.again(opening);
  const session = await walk.reset();
  const asked = walk.received.map(({ messages }) => JSON.stringify(messages));
  const ofAgents = asked.filter((text) => text.includes('You were suspended by a limit'));
  expect(ofAgents.length).toBeGreaterThanOrEqual(walk.jobs.length);
  for (const text of ofAgents) expect(text.split('You were suspended by a limit')).toHaveLength(2);
  const heard = session
    .messages()
    .filter((record) => record.type === 'user' && record.origin.kind === 'task-notification');
  expect(heard).toHaveLength(walk.jobs.length);
  await session.close();
});

test('a lead whose session was opened again and again before the reset is told once what continues', async () => {
  await using walk = await Walk.begin(flat);
  await walk.start();
  for (const opening of ['continue', 'wait', 'kill', 'continue', 'continue'] as const)
    await walk.again(opening);
  const session = await walk.reset();
  const heard = JSON.stringify(session.messages());
  expect(heard.split('run again in the background').length - 1).toBeLessThanOrEqual(2);
  expect(heard.split('Your run was suspended').length - 1).toBeLessThanOrEqual(1);
  expect(heard).not.toContain('Continue it with SendMessage');
  await session.close();
});

/** As `cadre tasks stop` does, for the agent with this description. */
async function stopFromOutside(walk: Walk, description: string) {
  const { cwd, environment } = walk.place;
  const around = lookAround({ cwd, environment, clock: walk.clock });
  const id = await walk.findId(description);
  const found = await findTask(around, id, { session: walk.sessionId });
  if (!found.ok) throw new Error(found.problem.message);
  return stopTask(around, found.value);
}

for (const before of [[], ['kill'], ['prompt']] as const)
  test(`a suspended agent that is stopped while no process has its session does not continue (${before.join() || 'exit 75'})`, async () => {
    await using walk = await Walk.begin(flat);
    await walk.start();
    for (const opening of before) await walk.again(opening);
    expect(await stopFromOutside(walk, 'job-b')).toMatchObject({
      ok: true,
      value: { status: 'killed', message: expect.stringContaining('was stopped') },
    });
    await walk.again('continue');
    const session = await walk.reset();
    expect(walk.reported.toSorted()).toEqual(['job-a', 'job-c', 'job-d']);
    const stopped = listAgents(session).find(({ description }) => description === 'job-b');
    expect(stopped?.suspended).toBeUndefined();
    expect(JSON.stringify(session.messages()).split('stopped by the user')).toHaveLength(2);
    await session.close();
  });

test('what runs below an agent that was stopped from outside does not continue either', async () => {
  await using walk = await Walk.begin(nested);
  await walk.start();
  expect(await stopFromOutside(walk, 'boss')).toMatchObject({ ok: true });
  await walk.reset().then((session) => session.close());
  expect(walk.reported).toEqual([]);
});

test('an agent that gave up waiting and is then stopped in the same process does not continue', async () => {
  await using walk = await Walk.begin(flat);
  const session = await walk.start({ staysOpen: true });
  for (const { id } of listAgents(session)) session.send({ type: 'stop_task', taskId: id });
  expect(listAgents(session).map(({ suspended, stoppedBy }) => suspended ?? stoppedBy)).toEqual(
    walk.jobs.map(() => 'user'),
  );
  await session.close();
  await walk.reset().then((last) => last.close());
  expect(walk.reported).toEqual([]);
});

/** The same sequences each time. */
function listSequences(): Opening[][] {
  let seed = 7;
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const pick = () => openings[next(openings.length)] ?? 'continue';
  const longer = Array.from({ length: 6 }, () => Array.from({ length: 2 + next(3) }, pick));
  return [[], ...openings.map((one) => [one]), ...longer];
}

for (const [name, company] of Object.entries({ flat, nested }))
  for (const sequence of listSequences())
    test(`G13 suspended agents continue once after: ${name}, ${sequence.join(', ') || 'nothing'}`, async () => {
      await walkThrough(company, sequence);
    });
