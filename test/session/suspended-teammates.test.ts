import { expect, test } from 'bun:test';
import type { TaskRecord, TaskView } from '../../src/protocol/index.ts';
import { findSuspended } from '../../src/session/suspended-work.ts';

const since = '2026-11-19T04:00:00.000Z';
const suspended = { until: Date.parse(since) + 3_600_000, reason: 'out of quota' } as unknown as NonNullable<
  TaskView['suspended']
>;
const teammate = (more: Partial<TaskView> = {}): TaskRecord => ({
  ...{ type: 'task-state', timestamp: since },
  task: {
    ...{ id: 'tann', runId: 'r', kind: 'in_process_teammate', status: 'running', description: 'work' },
    ...{ startedAt: since, outputFile: '', owner: null, isBackgrounded: true, suspended },
    ...more,
  },
});

test('G13 a session whose teammates alone were suspended has work to continue, which its team does', () => {
  expect(findSuspended({ agents: [teammate()], said: [] })).toEqual({ agents: [], lead: undefined });
});

test('G13 a teammate that was stopped, or has continued, is no work to continue', () => {
  expect(findSuspended({ agents: [teammate({ stoppedBy: 'user' })], said: [] })).toBeUndefined();
  const { suspended: _, ...task } = teammate().task;
  expect(findSuspended({ agents: [teammate(), { ...teammate(), task }], said: [] })).toBeUndefined();
});
