import { expect, test } from 'bun:test';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { failure, ok } from '../../src/lib/result.ts';
import { noUsage } from '../../src/protocol/index.ts';
import { locateAnchors } from '../../src/store/layout.ts';
import { openRun } from '../../src/workflows/open-run.ts';
import { locateJournal } from '../../src/workflows/read-journal.ts';
import type { WorkflowRun } from '../../src/workflows/run.ts';
import { countingRunner, endWell, hang, newRuns, openForTest, resolution } from './ground.ts';

async function finish(run: WorkflowRun, value: unknown = null) {
  return run.close({ ok: true, value });
}

test('TS8 a resumed run replays finished calls and runs the others', async () => {
  const runs = newRuns();
  const first = countingRunner();
  const { run } = await openForTest(runs, { runner: first });
  expect(await run.agent('one')).toMatchObject({ outcome: 'ok', value: 'done: one', verdict: 'EXECUTED' });
  run.stop('stopped in a test');
  expect(await finish(run)).toMatchObject({ status: 'stopped', reason: 'stopped in a test' });

  const second = countingRunner();
  const { run: again } = await openForTest(runs, { runner: second, resume: run.id });
  const ends = await Promise.all([again.agent('two'), again.agent('one')]);
  expect(ends.map(({ value, verdict }) => [value, verdict])).toEqual([
    ['done: two', 'EXECUTED'],
    ['done: one', 'REPLAYED'],
  ]);
  expect(second.ran.map(({ prompt }) => prompt)).toEqual(['two']);
  expect(again.spent().input_tokens).toBe(20);
  expect(await finish(again, 7)).toMatchObject({
    status: 'completed',
    value: 7,
    census: { outcomes: { ok: 2 }, verdicts: { REPLAYED: 1, EXECUTED: 1 } },
  });
});

test('TS8 a call is known by what was written, not by its position, its label or the order of its options', async () => {
  const runs = newRuns();
  const { run } = await openForTest(runs);
  await run.agent('p', {
    label: 'x',
    model: 'sonnet',
    effort: 'low',
    schema: { type: 'object', title: 't' },
  });
  await run.agent('q');
  await finish(run);
  const runner = countingRunner();
  const { run: again } = await openForTest(runs, { runner, resume: run.id });
  const moved = await again.agent('q', { phase: 'elsewhere' });
  const same = await again.agent('p', {
    schema: { title: 't', type: 'object' },
    effort: 'low',
    model: 'sonnet',
  });
  const other = await again.agent('p', { model: 'opus', effort: 'low' });
  expect([moved, same, other].map(({ verdict }) => verdict)).toEqual(['REPLAYED', 'REPLAYED', 'EXECUTED']);
  await finish(again);
});

test('TS8 equal calls are told apart by their number', async () => {
  const runs = newRuns();
  let count = 0;
  const counted = () =>
    countingRunner(() => ({ kind: 'ended', outcome: 'ok', value: ++count, text: '', usage: noUsage }));
  const { run } = await openForTest(runs, { runner: counted() });
  await run.agent('same');
  await run.agent('same');
  await finish(run);
  const { run: again } = await openForTest(runs, { runner: counted(), resume: run.id });
  const values = [await again.agent('same'), await again.agent('same'), await again.agent('same')];
  expect(values.map(({ value }) => value)).toEqual([1, 2, 3]);
  await finish(again);
});

test('TS8 another definition or model is reported, and run again only if asked', async () => {
  const runs = newRuns();
  const { run } = await openForTest(runs);
  await run.agent('one');
  await finish(run);
  const changed = () => countingRunner(endWell, () => ok({ ...resolution, model: 'fake/two' }));
  const kept = changed();
  const { run: again } = await openForTest(runs, { runner: kept, resume: run.id });
  const end = await again.agent('one');
  expect(end).toMatchObject({ verdict: 'DIVERGED', outcome: 'ok', value: 'done: one' });
  expect(end.reason).toContain('the model was fake/one, now fake/two');
  expect(kept.ran).toEqual([]);
  await finish(again);
  const rerun = changed();
  const { run: third } = await openForTest(runs, { runner: rerun, resume: run.id, rerunsDiverged: true });
  expect(await third.agent('one')).toMatchObject({ verdict: 'EXECUTED' });
  expect(rerun.ran).toHaveLength(1);
  await finish(third);
});

test('TS8 an agent in flight continues under the same key; one whose type is gone is refused', async () => {
  const runs = newRuns();
  const { run } = await openForTest(runs, { runner: countingRunner(hang) });
  const pending = run.agent('long');
  while (run.counts.running === 0) await new Promise(setImmediate);
  run.stop('killed');
  expect(await pending).toMatchObject({ outcome: 'interrupted', verdict: 'HALTED' });
  await finish(run);
  const runner = countingRunner();
  const { run: again } = await openForTest(runs, { runner, resume: run.id });
  expect(await again.agent('long')).toMatchObject({ outcome: 'ok', verdict: 'EXECUTED' });
  expect(runner.ran).toEqual([{ prompt: 'long', earlier: 'a0' }]);
  await finish(again);
  const gone = countingRunner(endWell, () => failure('There is no agent type x.'));
  const { run: third } = await openForTest(runs, { runner: gone, resume: run.id });
  expect(await third.agent('new')).toMatchObject({ outcome: 'refused', reason: 'There is no agent type x.' });
  expect(await finish(third)).toMatchObject({ status: 'partial' });
});

test('TS8 a run with dead calls ends as partial; resumed, what failed is tried again', async () => {
  const runs = newRuns();
  const failing = countingRunner(({ prompt }) =>
    prompt === 'bad'
      ? { kind: 'ended', outcome: 'failed', text: 'half', reason: 'broken', usage: noUsage }
      : endWell({ prompt, options: {} }),
  );
  const { run } = await openForTest(runs, { runner: failing });
  await Promise.all(['a', 'bad', 'c'].map((prompt) => run.agent(prompt)));
  expect(await finish(run)).toMatchObject({ status: 'partial', census: { outcomes: { ok: 2, failed: 1 } } });
  const runner = countingRunner();
  const { run: again } = await openForTest(runs, { runner, resume: run.id });
  await Promise.all(['a', 'bad', 'c'].map((prompt) => again.agent(prompt)));
  expect(runner.ran.map(({ prompt }) => prompt)).toEqual(['bad']);
  expect(await finish(again)).toMatchObject({ status: 'completed' });
});

test('HO4 a run whose program made failed calls again is completed, and replays them when it is resumed', async () => {
  const runs = newRuns();
  const failing = countingRunner(({ prompt }) =>
    prompt === 'first'
      ? { kind: 'ended', outcome: 'failed', text: '', timedOut: true, reason: 'too long', usage: noUsage }
      : endWell({ prompt, options: {} }),
  );
  const { run } = await openForTest(runs, { runner: failing });
  for (const prompt of ['first', 'shorter']) await run.agent(prompt);
  expect(await run.close({ ok: true, value: null, isPartial: false })).toMatchObject({
    status: 'completed',
    census: { outcomes: { ok: 1, failed: 1 } },
  });
  const runner = countingRunner();
  const { run: again } = await openForTest(runs, { runner, resume: run.id });
  expect(await again.agent('first')).toMatchObject({ outcome: 'failed', verdict: 'REPLAYED' });
  expect(runner.ran).toEqual([]);
  await again.close({ ok: true, value: null, isPartial: false });
});

test('TS8 a terminal error of the provider halts the run: nothing more starts, nothing fails', async () => {
  const runs = newRuns();
  const quota = countingRunner(({ prompt }, _, index) =>
    index < 2
      ? endWell({ prompt, options: {} })
      : { kind: 'halted', halt: { reason: 'The quota is used up.', until: 99 }, usage: noUsage },
  );
  const prompts = Array.from({ length: 40 }, (_, index) => `task ${index}`);
  const { run } = await openForTest(runs, { runner: quota });
  const ends = await Promise.all(prompts.map((prompt) => run.agent(prompt)));
  expect(quota.ran.length).toBeLessThanOrEqual(6);
  expect(ends.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  expect(await finish(run)).toMatchObject({
    status: 'suspended',
    reason: 'The quota is used up.',
    until: 99,
  });
  const after = countingRunner();
  const { run: again } = await openForTest(runs, { runner: after, resume: run.id });
  await Promise.all(prompts.map((prompt) => again.agent(prompt)));
  expect(after.ran).toHaveLength(38);
  expect(await finish(again)).toMatchObject({ status: 'completed', census: { outcomes: { ok: 40 } } });
});

test('TS8 one process has a run; another one is told which', async () => {
  const runs = newRuns();
  const { run } = await openForTest(runs);
  const other = await openRun({
    ...{
      runs,
      machine: systemMachine,
      clock: systemClock,
      sessionId: 's',
      cwd: '/',
      runner: countingRunner(),
    },
    program: { kind: 'script', name: 'test' },
    limits: { maxConcurrent: 1, maxCalls: 1, askAboveAgents: 1 },
    resume: run.id,
  });
  expect(other).toMatchObject({ ok: false });
  if (!other.ok) expect(other.problem.message).toContain(`pid ${process.pid}`);
  await finish(run);
});

test('TS6 calls are bounded in number, and above a limit the user is asked once before any starts', async () => {
  const asked: number[] = [];
  const runner = countingRunner();
  const { run } = await openForTest(newRuns(), {
    runner,
    limits: { maxConcurrent: 2, maxCalls: 60, askAboveAgents: 10 },
    confirm: async ({ agents }) => {
      asked.push(agents);
      expect(runner.ran).toEqual([]);
      return undefined;
    },
  });
  const ends = await Promise.all(Array.from({ length: 1_000 }, (_, index) => run.agent(`p${index}`)));
  expect(asked).toEqual([60]);
  expect(runner.ran).toHaveLength(60);
  expect(ends[60]).toMatchObject({ outcome: 'refused' });
  expect(ends[60]?.reason).toContain('workflows.maxCalls');
  expect(await finish(run)).toMatchObject({
    status: 'partial',
    census: { outcomes: { ok: 60, refused: 940 } },
  });
});

test('TS6 a user who says no stops the run before anything starts', async () => {
  const runner = countingRunner();
  const { run } = await openForTest(newRuns(), {
    runner,
    limits: { maxConcurrent: 2, maxCalls: 60, askAboveAgents: 3 },
    confirm: async () => 'You did not want 8 agents.',
  });
  await Promise.all(Array.from({ length: 8 }, (_, index) => run.agent(`p${index}`)));
  expect(runner.ran).toEqual([]);
  expect(await finish(run)).toMatchObject({ status: 'stopped', reason: 'You did not want 8 agents.' });
});

test('TS6 options with a cycle are refused, and nothing starts', async () => {
  const runner = countingRunner();
  const { run } = await openForTest(newRuns(), { runner });
  const schema: Record<string, unknown> = { type: 'object' };
  schema.self = schema;
  expect(await run.agent('p', { schema })).toMatchObject({ outcome: 'refused' });
  expect(await run.agent('  ')).toMatchObject({ outcome: 'refused' });
  expect(runner.ran).toEqual([]);
  await finish(run);
});

test('TS8 steps and answers are kept; a call can be skipped', async () => {
  const runs = newRuns();
  let worked = 0;
  const step = { name: 'checks', input: { a: 1 }, work: async () => ++worked };
  const { run, changes } = await openForTest(runs, {
    runner: countingRunner(hang),
    ask: async () => 'blue',
  });
  expect(await run.step(step)).toBe(1);
  expect(await run.ask({ text: 'Which colour?' })).toBe('blue');
  const pending = run.agent('long', { label: 'long one' });
  while (run.counts.running === 0) await new Promise(setImmediate);
  expect(run.skip('nothing.1')).toBe(false);
  const [open] = changes.flatMap((change) => (change.type === 'call' ? [change.call] : []));
  expect(run.skip(open?.callId ?? '')).toBe(true);
  expect(await pending).toMatchObject({ outcome: 'skipped', verdict: 'EXECUTED' });
  await finish(run);
  const { run: again } = await openForTest(runs, { resume: run.id, ask: async () => 'red' });
  expect(await again.step(step)).toBe(1);
  expect(await again.ask({ text: 'Which colour?' })).toBe('blue');
  expect(await again.agent('long')).toMatchObject({ outcome: 'skipped', verdict: 'REPLAYED' });
  await finish(again);
});

test('TS8 the journal is private, and one of a later format is refused with its version', async () => {
  const runs = newRuns();
  const { run } = await openForTest(runs);
  await run.agent('one');
  await finish(run);
  const path = locateJournal(runs, run.id);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(runs, run.id)).mode & 0o777).toBe(0o700);
  const text = readFileSync(path, 'utf8');
  await Bun.write(
    path,
    text.replace('"format":1', '"format":9').replace(/"version":"[^"]*"/, '"version":"99.0.0"'),
  );
  const later = openForTest(runs, { resume: run.id });
  expect(later).rejects.toThrow(/later version of Cadre \(99.0.0\)/);
  await Bun.write(path, `${text}{"type":"ended","half`);
  const { run: torn } = await openForTest(runs, { resume: run.id });
  expect(await torn.agent('one')).toMatchObject({ verdict: 'REPLAYED' });
  await finish(torn);
});

test('SE1 a run that another process took over adds nothing to its anchors', async () => {
  const runs = newRuns();
  let passedMs = 0;
  const machine = { ...systemMachine, uptime: () => systemMachine.uptime() + passedMs };
  const { run } = await openForTest(runs, { machine });
  await run.agent('one');
  passedMs = 60_000;
  const { run: next } = await openForTest(runs, { machine, resume: run.id });
  await next.agent('two');
  const path = locateAnchors(dirname(runs), run.id);
  const before = readFileSync(path, 'utf8');
  await finish(run);
  expect(readFileSync(path, 'utf8')).toBe(before);
  await finish(next);
});
