import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import type { TaskStatus, TaskView } from '../../src/protocol/index.ts';
import { requestStop, watchStopRequests } from '../../src/session/stop-requests.ts';
import { temporaryDirectory } from '../support/index.ts';

function task(status: TaskStatus = 'running', runId = 'run-1'): TaskView {
  return {
    ...{ id: 'a1', runId, kind: 'local_agent', status, description: 'Look', owner: null },
    ...{ startedAt: '2026-01-01T00:00:00.000Z', outputFile: '/nowhere', isBackgrounded: true },
  };
}

function watching(current: () => TaskView) {
  const { path } = temporaryDirectory();
  const clock = manualClock();
  const stopped: string[] = [];
  const running = () => (current().status === 'running' ? [current()] : []);
  const watch = watchStopRequests({
    sessionDirectory: path,
    clock,
    tasks: { view: (id) => (id === current().id ? current() : undefined), running },
    stop: (id) => stopped.push(id),
  });
  return { path, clock, stopped, watch };
}

test('a request is taken once, within a moment', () => {
  const { path, clock, stopped, watch } = watching(() => task());
  watch.note(task());
  expect(requestStop(path, task()).ok).toBe(true);
  clock.advance(1_000);
  clock.advance(1_000);
  expect(stopped).toEqual(['a1']);
  expect(readdirSync(join(path, 'stop'))).toEqual([]);
});

test('a request for a run that is over does not hit the next run of the same agent', () => {
  const { path, clock, stopped, watch } = watching(() => task('running', 'run-2'));
  watch.note(task('running', 'run-2'));
  requestStop(path, task('running', 'run-1'));
  clock.advance(1_000);
  expect(stopped).toEqual([]);
  expect(readdirSync(join(path, 'stop'))).toEqual([]);
});

test('nobody looks while there is nothing to stop', () => {
  let status: TaskStatus = 'running';
  const { clock, watch } = watching(() => task(status));
  expect(clock.untilNext()).toBeUndefined();
  watch.note(task());
  clock.advance(1_000);
  expect(clock.untilNext()).toBeDefined();
  status = 'completed';
  clock.advance(1_000);
  expect(clock.untilNext()).toBeUndefined();
});

test('files that are no requests are left alone; the end of the session takes the folder away', () => {
  const { path, clock, stopped, watch } = watching(() => task());
  watch.note(task());
  mkdirSync(join(path, 'stop'));
  for (const name of ['a1.txt', '..json', 'A1.json', 'a1.json']) writeFileSync(join(path, 'stop', name), 'x');
  clock.advance(1_000);
  expect(stopped).toEqual([]);
  expect(readdirSync(join(path, 'stop')).sort()).toEqual(['..json', 'A1.json', 'a1.txt']);
  watch.close();
  expect(existsSync(join(path, 'stop'))).toBe(false);
});
