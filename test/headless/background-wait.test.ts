import { expect, test } from 'bun:test';
import { serveHost } from '../../src/headless/host/serve-host.ts';
import { runPrompt } from '../../src/headless/run-prompt.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { claimLease } from '../../src/lib/leases/claim-lease.ts';
import { listLeaseNames } from '../../src/lib/leases/claims.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, hang, say, type Turn, together } from '../../src/testing/index.ts';
import { locateRunning } from '../../src/workspace/running.ts';
import { until } from '../support/index.ts';
import { noInterrupts, pipe, request, user } from './support.ts';

const minute = 60_000;

/** A coordinator whose one worker takes `steps` turns, each released by the test. */
function coordinate(steps: number, more: Parameters<typeof request>[1] = {}) {
  const clock = manualClock();
  const waiting: (() => void)[] = [];
  let left = steps;
  let leadTurns = 0;
  const turn: Turn = (asked: ModelRequest) => {
    if (asked.asker?.agentId == null)
      return leadTurns++ === 0
        ? call('Agent', { description: 'Work', prompt: 'Work.' })
        : say(leadTurns === 2 ? 'Started.' : 'All done.');
    return new Promise((resolve) => {
      waiting.push(() => resolve(--left > 0 ? call('Glob', { pattern: '*' }) : say('Worked.')));
    });
  };
  const wanted = request(
    Array.from({ length: steps + 3 }, () => turn),
    {
      prompt: 'Go',
      ...more,
      clock,
      session: { coordinator: true, agentLimits: { idleSeconds: 0 }, clock, ...more.session },
    },
  );
  const step = async () => {
    await until(() => waiting.length > 0);
    waiting.shift()?.();
  };
  return { wanted, clock, step, isWorking: () => waiting.length > 0 };
}

test('a coordinator that makes progress is not ended, however long it takes', async () => {
  const { wanted, clock, step, isWorking } = coordinate(4, { outputFormat: 'json' });
  const piped = pipe('none');
  const ran = runPrompt(wanted, piped.io, noInterrupts);
  for (let count = 0; count < 4; count++) {
    await until(isWorking);
    clock.advance(9 * minute);
    await step();
  }
  expect(await ran).toBe(0);
  expect(piped.frames().at(-1)).toMatchObject({ subtype: 'success', outcome: 'completed' });
  expect(String(piped.frames().at(-1)?.result)).toContain('All done.');
});

for (const outputFormat of ['text', 'json', 'stream-json'] as const)
  test(`without progress for ten minutes the run is unfinished, with exit code 124 (${outputFormat})`, async () => {
    const { wanted, clock, isWorking } = coordinate(1, { outputFormat });
    const piped = pipe('none');
    const ran = runPrompt(wanted, piped.io, noInterrupts);
    await until(() => isWorking() && piped.err().includes('waiting for'));
    clock.advance(10 * minute);
    expect(await ran).toBe(124);
    expect(piped.err()).toContain('no progress for 600 s');
    expect(piped.err()).toContain('agents.printWaitSeconds');
    if (outputFormat === 'text') {
      expect(piped.out()).toBe('Started.\n');
      return;
    }
    const last = piped.frames().findLast(({ type }) => type === 'result');
    expect(last).toMatchObject({ is_error: true, outcome: 'unfinished', subtype: 'error_during_execution' });
    expect(JSON.stringify(last?.errors)).toContain('did not finish');
    const ends = piped.frames().filter(({ subtype }) => subtype === 'task_notification');
    expect(ends.map(({ status }) => status)).not.toContain('completed');
  });

test('the limit is a setting, and 0 is none', async () => {
  const short = coordinate(1, {
    session: { coordinator: true, settings: '{"agents": {"printWaitSeconds": 60, "idleSeconds": 0}}' },
  });
  const piped = pipe('none');
  const ran = runPrompt(short.wanted, piped.io, noInterrupts);
  await until(() => short.isWorking() && piped.err().includes('waiting for'));
  short.clock.advance(minute);
  expect(await ran).toBe(124);

  const none = coordinate(1, {
    session: { coordinator: true, settings: '{"agents": {"printWaitSeconds": 0, "idleSeconds": 0}}' },
  });
  const patient = pipe('none');
  const waited = runPrompt(none.wanted, patient.io, noInterrupts);
  await until(() => none.isWorking() && patient.err().includes('waiting for'));
  none.clock.advance(600 * minute);
  await none.step();
  expect(await waited).toBe(0);
});

test('a host that has closed its side gets the same outcome and exit code', async () => {
  const { wanted, clock, isWorking } = coordinate(1, {
    inputFormat: 'stream-json',
    outputFormat: 'stream-json',
  });
  const piped = pipe();
  const served = serveHost(wanted, piped.io, noInterrupts);
  piped.write(user('Go'));
  await piped.frame(({ type }) => type === 'result');
  piped.end();
  await until(() => isWorking() && piped.err().includes('waiting for'));
  clock.advance(10 * minute);
  expect(await served).toBe(124);
  expect(piped.frames().findLast(({ type }) => type === 'result')).toMatchObject({ outcome: 'unfinished' });
});

test('json: one result is about all runs of the lead: denied calls, usage, turns and time', async () => {
  const denied = together(
    call('Write', { file_path: 'a.txt', content: 'x' }),
    call('Agent', { description: 'Work', prompt: 'Work.', run_in_background: true }),
  );
  let leadTurns = 0;
  const turn: Turn = (asked: ModelRequest) =>
    asked.asker?.agentId == null
      ? ([denied, say('Started.'), say('Noted.')][leadTurns++] ?? say('?'))
      : say('Worked.');
  const piped = pipe('none');
  const wanted = request([turn, turn, turn, turn], { prompt: 'Go', outputFormat: 'json' });
  expect(await runPrompt(wanted, piped.io, noInterrupts)).toBe(0);
  const [result] = piped.frames();
  expect(result).toMatchObject({ num_turns: 3, permission_denials: [{ tool_name: 'Write' }] });
  expect(String(result?.result)).toContain('Started.');
  const used = wanted.model.requests.filter(({ asker }) => asker?.agentId == null).length;
  expect(used).toBe(3);
});

for (const outputFormat of ['text', 'json', 'stream-json'] as const)
  test(`G3 interrupted while agents work, the run is not called a success (${outputFormat})`, async () => {
    const { wanted, isWorking } = coordinate(1, { outputFormat });
    const piped = pipe('none');
    const controller = new AbortController();
    const interrupts = { ...noInterrupts, signal: controller.signal, exitCode: () => 130 };
    const ran = runPrompt(wanted, piped.io, interrupts);
    await until(() => isWorking() && piped.err().includes('waiting for'));
    controller.abort();
    expect(await ran).toBe(130);
    if (outputFormat === 'text') {
      expect(piped.err()).toMatch(/Interrupted\. Stopped: \S+ "Work"/);
      return;
    }
    const last = piped.frames().findLast(({ type }) => type === 'result');
    expect(last).toMatchObject({ is_error: true, outcome: 'interrupted', subtype: 'error_during_execution' });
    expect(JSON.stringify(last?.errors)).toContain('cadre -p -c');
  });

test('a session that was taken over does not wait for its agents', async () => {
  let passedMs = 0;
  const machine = { ...systemMachine, uptime: () => systemMachine.uptime() + passedMs };
  let leadTurns = 0;
  const turn: Turn = ({ asker }) => {
    if (asker?.agentId != null) return hang();
    if (leadTurns++ === 0)
      return call('Agent', { description: 'Work', prompt: 'Work.', run_in_background: true });
    passedMs = 60_000;
    const running = locateRunning(wanted.session.environment?.CADRE_HOME ?? '', machine);
    claimLease(running, listLeaseNames(running)[0] ?? '');
    return say('Started.');
  };
  const wanted = request([turn, turn, turn], { prompt: 'Go', session: { machine } });
  const piped = pipe('none');
  expect(await runPrompt(wanted, piped.io, noInterrupts)).toBe(1);
  expect(piped.err()).toContain('was taken over');
  expect(piped.err()).not.toContain('waiting for');
});
