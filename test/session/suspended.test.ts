import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { type ManualClock, manualClock } from '../../src/lib/clock.ts';
import { openKeyStore } from '../../src/models/keys.ts';
import type { AgentEvent, ModelRequest, TaskView } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { isUnderWay } from '../../src/tasks/tasks.ts';
import {
  call,
  calls,
  type FakeProvider,
  type FixedTurn,
  failWith,
  fakeProvider,
  say,
} from '../../src/testing/index.ts';
import { until } from '../support/index.ts';
import { follow, type Place, place, recordsOf } from './support.ts';

const hour = 3_600_000;
const quota = (retryAfterMs = 5 * hour) =>
  failWith({ kind: 'rate_limited', message: 'Your limit is used up.', status: 429, retryAfterMs });
const badKey = () => failWith({ kind: 'authentication', message: 'invalid x-api-key', status: 401 });

async function start(at: Place, provider: FakeProvider, clock: ManualClock, options: SessionOptions = {}) {
  mkdirSync(at.cwd, { recursive: true });
  const opened = await openSession({
    ...{ cwd: at.cwd, clock, sandbox: false, permissionMode: 'acceptEdits' },
    environment: { ...at.environment, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'first-key' },
    settings: '{"agents":{"askAboveAgents":1000}}',
    ...options,
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  return follow(opened.value, undefined as never);
}

function waits(events: readonly AgentEvent[]) {
  return events.filter((event) => event.type === 'request_waited' && event.suspended !== undefined);
}

/** Lets the agents of a session run, while the clock moves a little. */
function pass(clock: ManualClock, isOver: () => boolean): Promise<void> {
  return until(() => {
    clock.advance(20);
    return isOver();
  });
}

/** The lead starts these agents; what they answer is given. */
function jobScript(count: number, background: boolean, answer: (job: number) => FixedTurn) {
  return (request: ModelRequest): FixedTurn => {
    const text = JSON.stringify(request.messages);
    const [, job] = /"text":"job (\d+)"/.exec(text) ?? [];
    if (job !== undefined) return answer(Number(job));
    if (request.messages.length > 1) return say('Seen.');
    return calls(
      Array.from({ length: count }, (_, index) =>
        call('Agent', {
          ...{ description: `job ${index}`, prompt: `job ${index}`, subagent_type: 'general-purpose' },
          run_in_background: background,
        }),
      ),
    );
  };
}

function agentsOf(tasks: readonly TaskView[]): TaskView[] {
  return tasks.filter(({ kind }) => kind === 'local_agent');
}

test('G13 the lead waits for a reset within six hours, and its run completes', async () => {
  const at = place();
  const clock = manualClock(1_000_000);
  let requests = 0;
  await using provider = await fakeProvider({ script: () => (++requests === 1 ? quota() : say('Done.')) });
  const { session, events, prompt } = await start(at, provider, clock);
  const ended = prompt('Work.');
  await until(() => waits(events).length === 1);
  expect(waits(events)[0]).toMatchObject({
    suspended: { reason: expect.stringContaining('Your limit is used up.'), until: expect.any(Number) },
  });
  clock.advance(4 * hour);
  expect(requests).toBe(1);
  clock.advance(hour + 2_000);
  expect(await ended).toMatchObject({ kind: 'completed', text: 'Done.' });
  const states = (await recordsOf(session)).filter((record) => record.type === 'session-state');
  expect(states.map(({ suspended }) => suspended !== undefined)).toEqual([false, true, false]);
  await session.close();
});

test('G13 a reset that is further away interrupts the run: the outcome says until when', async () => {
  const at = place();
  const clock = manualClock(1_000_000);
  await using provider = await fakeProvider({ script: () => quota(7 * hour) });
  const { session, prompt } = await start(at, provider, clock);
  const outcome = await prompt('Work.');
  expect(outcome).toMatchObject({
    kind: 'interrupted',
    reason: expect.stringMatching(/^Suspended until .* \(in 7 h\): .*Your limit is used up\./),
    failure: { kind: 'rate_limited', resetsAt: expect.any(Number) },
  });
  await session.close();
});

test('G13 a suspended agent is running and says why; its own time stands still meanwhile', async () => {
  const at = place();
  const clock = manualClock(1_000_000);
  let isReset = false;
  const script = jobScript(1, false, () => (isReset ? say('Reported.') : quota()));
  await using provider = await fakeProvider({ script });
  const { session, prompt } = await start(at, provider, clock, { agentLimits: { timeoutSeconds: 60 } });
  const ended = prompt('Start.');
  const find = () => agentsOf(session.tasks())[0];
  await until(() => find()?.suspended !== undefined);
  expect(find()).toMatchObject({
    status: 'running',
    suspended: { reason: expect.stringContaining('Your limit is used up.') },
  });
  isReset = true;
  clock.advance(5 * hour + 2_000);
  expect(await ended).toMatchObject({ kind: 'completed' });
  expect(find()).toMatchObject({ status: 'completed' });
  expect(find()?.suspended).toBeUndefined();
  await session.close();
});

test('G13 work that was suspended when its process ended continues when the session is opened again', async () => {
  const at = place();
  const clock = manualClock(1_000_000);
  let isReset = false;
  const script = jobScript(6, true, (job) => (isReset ? say(`Report ${job}.`) : quota()));
  await using provider = await fakeProvider({ script });
  const first = await start(at, provider, clock);
  await first.prompt('Start.');
  await until(() => agentsOf(first.session.tasks()).filter(({ suspended }) => suspended).length === 6);
  await first.session.close();
  const { id } = first.session;
  clock.advance(hour);
  const second = await start(at, provider, clock, { resume: { from: 'id', id } });
  const before = provider.requests.length;
  expect(second.session.continueSuspended()).toBe(true);
  expect(second.session.continueSuspended()).toBe(false);
  await until(() => agentsOf(second.session.tasks()).filter(({ suspended }) => suspended).length === 6);
  expect(provider.requests).toHaveLength(before);
  isReset = true;
  clock.advance(4 * hour + 2_000);
  await pass(clock, () => agentsOf(second.session.tasks()).every((task) => !isUnderWay(task)));
  await second.session.finished(AbortSignal.timeout(20_000));
  const text = JSON.stringify(second.session.messages());
  for (let job = 0; job < 6; job++) expect(text.split(`Report ${job}.`)).toHaveLength(2);
  await second.session.close();
  const third = await start(at, provider, clock, { resume: { from: 'id', id } });
  expect(third.session.continueSuspended()).toBe(false);
  await third.session.close();
});

test('G13 an agent below another one continues with it, and reports to it', async () => {
  const at = place();
  const clock = manualClock(1_000_000);
  let isReset = false;
  const hire = (prompt: string) =>
    call('Agent', { description: prompt, prompt, subagent_type: 'boss', run_in_background: false });
  const boss = { description: 'Starts others.', prompt: 'Start others.', tools: ['Agent', 'Read'] };
  const script = ({ messages }: ModelRequest): FixedTurn => {
    const text = JSON.stringify(messages);
    if (text.includes('"text":"below"')) return isReset ? say('From below.') : quota();
    const isMiddle = text.includes('"text":"middle"');
    if (!text.includes('"tool_use"')) return hire(isMiddle ? 'below' : 'middle');
    const [heard, report] = isMiddle
      ? ['From below.', 'Middle has heard.']
      : ['Middle has heard.', 'The lead has heard.'];
    return say(text.includes(heard) ? report : 'Not yet.');
  };
  await using provider = await fakeProvider({ script });
  const options = { agents: { boss }, agentLimits: { maxDepth: 2 } };
  const first = await start(at, provider, clock, options);
  first.session.send({ type: 'prompt', content: 'Start.' });
  await until(() => agentsOf(first.session.tasks()).some(({ suspended }) => suspended));
  await first.session.close();
  const { id } = first.session;
  const second = await start(at, provider, clock, { ...options, resume: { from: 'id', id } });
  expect(second.session.continueSuspended()).toBe(true);
  isReset = true;
  clock.advance(5 * hour + 2_000);
  await pass(clock, () => JSON.stringify(second.session.messages()).includes('The lead has heard.'));
  expect(JSON.stringify(second.session.messages()).split('Middle has heard.')).toHaveLength(2);
  await second.session.close();
});

test('G13 suspended work continues within the limits that it began with', async () => {
  const at = place();
  const clock = manualClock(1_000_000);
  await using provider = await fakeProvider({ script: () => quota() });
  const first = await start(at, provider, clock, { maxBudgetUsd: 0.5, oneShot: true });
  expect(await first.prompt('Work.')).toMatchObject({ kind: 'interrupted' });
  await first.session.close();
  const resume = { from: 'id', id: first.session.id } as const;
  const second = await start(at, provider, clock, { resume, oneShot: true, permissionMode: 'plan' });
  expect(second.session.continueSuspended()).toBe(true);
  await second.runs(1);
  await second.session.close();
  const state = (await recordsOf(first.session)).findLast((record) => record.type === 'session-state');
  expect(state).toMatchObject({ permissionMode: 'plan', maxBudgetUsd: 0.5, suspended: {} });
});

test('an agent that gave up waiting stays as it is when the user went on without it', async () => {
  const at = place();
  const clock = manualClock(1_000_000);
  const script = (request: ModelRequest) => jobScript(1, false, () => quota(8 * hour))(request);
  await using limited = await fakeProvider({ script });
  const first = await start(at, limited, clock);
  expect(await first.prompt('Start.')).toMatchObject({ kind: 'interrupted' });
  expect(agentsOf(first.session.tasks())).toMatchObject([{ status: 'killed', suspended: {} }]);
  await first.session.close();
  const resume = { from: 'id', id: first.session.id } as const;
  await using free = await fakeProvider({ script: () => say('Without it.') });
  clock.advance(1_000);
  const second = await start(at, free, clock, { resume });
  expect(await second.prompt('Go on without the agent.')).toMatchObject({ text: 'Without it.' });
  await second.session.close();
  const third = await start(at, free, clock, { resume });
  expect(third.session.continueSuspended()).toBe(false);
  await third.session.close();
});

test('what the user stopped while it was suspended does not continue', async () => {
  const at = place();
  const clock = manualClock(1_000_000);
  await using provider = await fakeProvider({ script: jobScript(2, true, () => quota()) });
  const first = await start(at, provider, clock);
  await first.prompt('Start.');
  await until(() => agentsOf(first.session.tasks()).filter(({ suspended }) => suspended).length === 2);
  for (const { id } of agentsOf(first.session.tasks())) first.session.send({ type: 'stop_task', taskId: id });
  await until(() => agentsOf(first.session.tasks()).every((task) => !isUnderWay(task)));
  // The lead hears of it, and has nothing to say: its provider is not asked either.
  await until(() => waits(first.events).some(({ agentId }) => agentId === null));
  first.session.send({ type: 'interrupt' });
  await first.session.settled();
  await first.session.close();
  const second = await start(at, provider, clock, { resume: { from: 'id', id: first.session.id } });
  expect(second.session.continueSuspended()).toBe(false);
  await second.session.close();
});

test('G13 one refused key among many agents: nothing more is sent, no agent is started, all say why', async () => {
  const at = place();
  const clock = manualClock(1_000_000);
  let refused = 0;
  const script = (request: ModelRequest): FixedTurn => {
    const turn = jobScript(60, false, () => badKey())(request);
    if ('failure' in (turn as object)) refused++;
    return turn;
  };
  await using provider = await fakeProvider({ script });
  const { session, prompt } = await start(at, provider, clock);
  const outcome = await prompt('Start.');
  expect(outcome).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(
      /^Not sent: .* rejected the key: invalid x-api-key\. Check ANTHROPIC_API_KEY/,
    ),
    failure: { kind: 'authentication' },
  });
  // Those that were on their way when the first answer came.
  expect(refused).toBeLessThanOrEqual(8);
  expect(provider.requests).toHaveLength(1 + refused);
  const results = JSON.stringify(session.messages());
  expect(results.match(/rejected the key/g)).toHaveLength(60);
  await session.close();
});

test('G13 after a refused key the user stores another and goes on: the next prompt uses it', async () => {
  const at = place();
  const clock = manualClock(1_000_000);
  const { ANTHROPIC_API_KEY: _, ...environment } = { ...at.environment, ANTHROPIC_API_KEY: '' };
  await using provider = await fakeProvider({ script: () => say('Hello.'), apiKey: 'second-key' });
  mkdirSync(at.home, { recursive: true, mode: 0o700 });
  expect(openKeyStore(at.home).saveKey('anthropic', 'first-key').ok).toBe(true);
  const { session, prompt } = await start(at, provider, clock, {
    environment: { ...environment, ANTHROPIC_BASE_URL: provider.url },
  });
  expect(await prompt('Hi.')).toMatchObject({ kind: 'failed', failure: { kind: 'authentication' } });
  expect(openKeyStore(at.home).saveKey('anthropic', 'second-key').ok).toBe(true);
  expect(await prompt('Hi again.')).toMatchObject({ kind: 'completed', text: 'Hello.' });
  await session.close();
});
