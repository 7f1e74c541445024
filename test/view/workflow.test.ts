import { expect, test } from 'bun:test';
import { stripVTControlCharacters } from 'node:util';
import { workflowFrame } from '../../src/headless/workflow-frames.ts';
import { noUsage, type TaskView } from '../../src/protocol/index.ts';
import type { WorkflowCallView, WorkflowView } from '../../src/protocol/workflow.ts';
import { workRows } from '../../src/tui/panels/rows.ts';
import { tasksLines } from '../../src/tui/panels/tasks.ts';
import { workflowLines } from '../../src/tui/panels/workflow.ts';
import { makeTheme } from '../../src/tui/text/index.ts';
import { emptyView, reduceAll, type View, type ViewEvent } from '../../src/view/index.ts';
import { emptyCensus } from '../../src/workflows/census.ts';

const lead = { agentId: null, parentToolUseId: null };

function run(more: Partial<WorkflowView> = {}): ViewEvent {
  const workflow: WorkflowView = {
    ...{ runId: 'r1', taskId: 'w1', name: 'review', status: 'running', phases: ['look'], phase: 'look' },
    ...{ calls: { total: 2, running: 1, waiting: 0 }, census: emptyCensus(), spent: noUsage, ...more },
  };
  return { ...lead, type: 'workflow_changed', workflow };
}

function call(callId: string, more: Partial<WorkflowCallView> = {}): ViewEvent {
  const one: WorkflowCallView = {
    runId: 'r1',
    callId,
    label: `label ${callId}`,
    state: 'waiting',
    tokens: 0,
    ...more,
  };
  return { ...lead, type: 'workflow_call_changed', call: one };
}

const task: TaskView = {
  ...{ id: 'w1', runId: 'x', kind: 'local_workflow', status: 'running', description: 'review', owner: null },
  ...{ startedAt: '2026-01-01T00:00:00Z', outputFile: '/none', isBackgrounded: true },
};

function see(...events: ViewEvent[]): View {
  return reduceAll(emptyView(), [{ ...lead, type: 'task_changed', task }, run(), ...events], 1_000);
}

test('TS6 a run is shown with its phase and its calls, each with outcome and verdict', () => {
  const view = see(
    call('a.1', { state: 'running', agentId: 'a1' }),
    call('b.1', {
      state: 'ended',
      outcome: 'failed',
      verdict: 'EXECUTED',
      reason: 'no luck',
      tokens: 1200,
      phase: 'look',
    }),
  );
  const drawing = {
    ...{ width: 100, theme: makeTheme({ level: '256', attributes: true }), home: '/home/me', places: [] },
    ...{ now: 2_000, plain: false },
  };
  const { lines } = tasksLines(view, { kind: 'tasks', selected: 'r1 a.1' }, drawing);
  const text = lines.map(stripVTControlCharacters).join('\n');
  expect(text).toMatch(/● workflow review +running .*look · 1 of 2 calls/);
  expect(text).toMatch(/● label a\.1 +running/);
  expect(text).toMatch(/✗ label b\.1 +failed EXECUTED +1\.2k +look · no luck/);
  expect(workRows(view).map(({ kind }) => kind)).toEqual(['task', 'call', 'call']);
});

test('TS6 the panel of a run has its phases in order, and below each its calls', () => {
  const view = see(
    run({ phases: ['look', 'judge'], phase: 'judge' }),
    call('c.1', { state: 'running', phase: 'judge', agentId: 'a1' }),
    call('a.1', { state: 'ended', phase: 'look', outcome: 'ok', verdict: 'REPLAYED' }),
  );
  const drawing = {
    ...{ width: 100, theme: makeTheme({ level: '256', attributes: true }), home: '/home/me', places: [] },
    ...{ now: 2_000, plain: false },
  };
  const { lines } = workflowLines(view, { kind: 'workflow', runId: 'r1', selected: 'c.1' }, drawing);
  const text = lines.map(stripVTControlCharacters).join('\n');
  expect(text).toContain('✓ look → ● judge');
  expect(text).toMatch(
    /look · 1 of 1\n {2}✓ label a\.1 +ok REPLAYED[\s\S]*judge · 0 of 1\n❯ ● label c\.1 +running/,
  );
});

test('TS6 what is held of a run is bounded, and hostile text is cut to a line', () => {
  const many = Array.from({ length: 700 }, (_, index) =>
    call(`c${index}.1`, { label: `x${'y'.repeat(9_000)}` }),
  );
  const shown = see(...many).workflows.get('r1');
  expect(shown?.callList).toHaveLength(500);
  expect(shown?.callsLeft).toBe(200);
  expect(shown?.callList[0]?.label.length).toBeLessThan(5_000);
});

test('TS6 runs and calls are frames of their own', () => {
  const changed = call('a.1', { state: 'ended', outcome: 'ok', verdict: 'REPLAYED' });
  expect(workflowFrame(changed as Parameters<typeof workflowFrame>[0])).toMatchObject({
    ...{ subtype: 'workflow_call_changed', run_id: 'r1', call_id: 'a.1', outcome: 'ok', verdict: 'REPLAYED' },
  });
  expect(workflowFrame(run({ status: 'partial' }) as Parameters<typeof workflowFrame>[0])).toMatchObject({
    ...{ subtype: 'workflow_changed', run_id: 'r1', task_id: 'w1', status: 'partial', phase: 'look' },
  });
});
