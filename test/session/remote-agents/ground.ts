import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent, TaskEnd, TaskView } from '../../../src/protocol/index.ts';
import type { Engine } from '../../../src/remote/engine.ts';
import { openJobKey, trustKey } from '../../../src/remote/keys.ts';
import type { SessionOptions } from '../../../src/session/options.ts';
import { call, type Turn } from '../../../src/testing/index.ts';
import { get } from '../../remote/support.ts';
import { openMemoryEngine, startWorker, type WorkerSetup, waitFor } from '../../remote/worker-ground.ts';
import { type Opened, open, type Place, place } from '../support.ts';

export { waitFor } from '../../remote/worker-ground.ts';

/** A user with a repository, whose remote agents go to the label that the workers of these tests have. */
export function openUser(engine: Engine, files: Record<string, string> = { 'a.txt': 'one\n' }) {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: at.cwd,
      encoding: 'utf8',
    }).trim();
  git('init', '-q', '-b', 'main');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at.cwd, name), text);
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  return {
    at,
    git,
    key: get(openJobKey(at.home)).name,
    open: (turns: Turn[], options: SessionOptions = {}): Promise<Opened> =>
      open(at, turns, {
        engine,
        settings: JSON.stringify({ remote: { label: 'any' } }),
        permissionMode: 'acceptEdits',
        ...options,
      }),
    /** A worker that this user and that trust each other. */
    startWorker(turns: WorkerSetup['turns'], setup: Partial<WorkerSetup> = {}) {
      const worker = startWorker({ engine, trusts: [get(openJobKey(at.home)).name], turns, ...setup });
      get(trustKey(at.home, worker.key, 'worker'));
      return worker;
    },
  };
}

export type User = ReturnType<typeof openUser>;

export function openGround(files?: Record<string, string>) {
  const { server, engine } = openMemoryEngine();
  return { server, engine, user: openUser(engine, files) };
}

export const hire = (more: Record<string, unknown> = {}) =>
  call('Agent', { description: 'Help out', prompt: 'Do the work.', isolation: 'remote', ...more });

/** The newest state of the remote agents of a session. */
export function findRemote({ events }: Pick<Opened, 'events'>, at: Place, nth = 0): TaskView {
  const ids = [
    ...new Set(
      events.flatMap((event) =>
        event.type === 'task_changed' && event.task.kind === 'remote_agent' ? [event.task.id] : [],
      ),
    ),
  ];
  const id = ids[nth];
  const views = events.flatMap((event) =>
    (event.type === 'task_changed' || event.type === 'task_progressed') && event.task.id === id
      ? [event.task]
      : [],
  );
  const view = views.at(-1);
  if (!view) throw new Error(`no remote agent in ${at.cwd}`);
  return view;
}

/** Waits for the end of a run of a remote agent. */
export function waitForEnd({ events }: Pick<Opened, 'events'>, count = 1): Promise<TaskEnd> {
  return waitFor(() => {
    const ends = events.flatMap((event) =>
      event.type === 'task_changed' && event.task.kind === 'remote_agent' && event.end ? [event.end] : [],
    );
    return ends[count - 1];
  });
}

export function listEvents({ events }: Pick<Opened, 'events'>, agentId: string): AgentEvent['type'][] {
  return events.flatMap((event) => (event.agentId === agentId ? [event.type] : []));
}
