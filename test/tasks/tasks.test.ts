import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { countedIds } from '../../src/lib/ids.ts';
import type { TaskEnd, TaskView } from '../../src/protocol/index.ts';
import { Tasks } from '../../src/tasks/tasks.ts';

function registry() {
  const changes: string[] = [];
  const ends: { task: TaskView; end: TaskEnd }[] = [];
  const tasks = new Tasks({
    clock: manualClock(),
    ids: countedIds(),
    outputFile: (id) => `/outputs/${id}`,
    changed: (task) => changes.push(task.status),
    ended: (task, end) => ends.push({ task, end }),
  });
  return { tasks, changes, ends };
}

const shell = { kind: 'local_bash', description: 'build', owner: null, background: true } as const;

test('TS1 a task id begins with the prefix of its kind', () => {
  const { tasks } = registry();
  const handle = tasks.spawn({ ...shell, run: async () => ({ status: 'completed', text: '' }) });
  expect(handle.id).toMatch(/^b[a-z0-9]+$/);
});

test('TS2 a task goes from running to its end, and its end is told once', async () => {
  const { tasks, changes, ends } = registry();
  const handle = tasks.spawn({ ...shell, run: async () => ({ status: 'completed', text: 'done' }) });
  expect(await handle.result()).toEqual({ status: 'completed', text: 'done' });
  expect(changes).toEqual(['running', 'completed']);
  expect(ends.map(({ end }) => end.status)).toEqual(['completed']);
});

test('NT2 a stopped task is killed, also when its work ends well afterwards', async () => {
  const { tasks, ends } = registry();
  const handle = tasks.spawn({
    ...shell,
    run: ({ signal }) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve({ status: 'completed', text: 'half' })),
      ),
  });
  await handle.kill('no longer needed');
  await handle.kill('again');
  expect(ends).toHaveLength(1);
  expect(ends[0]?.end).toEqual({
    status: 'killed',
    outcome: 'killed',
    text: 'half',
    reason: 'no longer needed',
  });
});

test('a runner that throws makes a failed task, not a crash', async () => {
  const { tasks } = registry();
  const handle = tasks.spawn({
    ...shell,
    run: async () => {
      throw new Error('boom');
    },
  });
  expect(await handle.result()).toEqual({ status: 'failed', text: '', reason: 'boom' });
});

test('all running tasks can be ended at once', async () => {
  const { tasks } = registry();
  const run = ({ signal }: { signal: AbortSignal }) =>
    new Promise<TaskEnd>((resolve) =>
      signal.addEventListener('abort', () => resolve({ status: 'failed', text: '' })),
    );
  tasks.spawn({ ...shell, run });
  tasks.spawn({ ...shell, run });
  await tasks.killAll('the session ended');
  expect(tasks.list().map((task) => task.status)).toEqual(['killed', 'killed']);
  expect(tasks.running()).toEqual([]);
});
