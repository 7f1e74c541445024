import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import type { AgentEvent, Question } from '../../src/protocol/index.ts';
import type { Engine } from '../../src/remote/engine.ts';
import {
  type JobOrder,
  type JobResult,
  jobsBell,
  nameWork,
  storeOrder,
  streams,
} from '../../src/remote/job.ts';
import { openJobKey } from '../../src/remote/keys.ts';
import { sendLetter } from '../../src/remote/letters.ts';
import { nameRepository, sendHistory } from '../../src/remote/repository.ts';
import { openRow } from '../../src/remote/sealed-rows.ts';
import { bindGit } from '../../src/workspace/worktrees/repository.ts';
import { get } from './support.ts';

/** A user's machine with a repository, from which jobs are submitted. */
export function openSubmitterAt(engine: Engine, files: Record<string, string>, directory: string) {
  const home = join(directory, 'home');
  const top = join(directory, 'repository');
  for (const path of [home, top]) mkdirSync(path, { recursive: true });
  const key = get(openJobKey(home));
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: top,
      encoding: 'utf8',
    }).trim();
  const runShell = (command: string) =>
    execFileSync('/bin/sh', ['-c', command], { cwd: top, encoding: 'utf8' }).trim();
  const git = bindGit({ home, env: { PATH: process.env.PATH ?? '' }, clock: systemClock }, top);
  run('init', '-q', '-b', 'main');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, name)), { recursive: true });
    writeFileSync(join(top, name), text);
  }
  run('add', '-A');
  run('commit', '-q', '-m', 'first');
  let count = 0;
  /** Those of a worker are signed for the submitter's own job. */
  const open = (id: string, stream: string, body: string) =>
    openRow(stream === streams.refusals ? id : nameWork(id, key.name), stream, body);
  const rowsOf = async (id: string, stream: string) =>
    get(await engine.read(id, stream, 0, 10_000)).map(({ body }) => open(id, stream, body));
  const bodies = async <T>(id: string, stream: string): Promise<T[]> =>
    (await rowsOf(id, stream)).map((row) => JSON.parse(row?.body ?? '') as T);
  return {
    key,
    home,
    git,
    run,
    runShell,
    top,
    /** Enqueues a job, with its first letter. */
    async submit(changes: Partial<JobOrder> = {}, prompt = 'Do it.', label = 'any') {
      const base = run('rev-parse', 'HEAD');
      const repository = get(await nameRepository(git, base));
      get(await sendHistory(engine, key, repository, { git, ref: 'refs/heads/main', tip: base }));
      const order: JobOrder = {
        format: 1,
        id: `job-${++count}-${randomUUID().slice(0, 8)}`,
        sessionId: randomUUID(),
        submittedAt: Date.now(),
        description: 'Do it',
        repository,
        base,
        stands: '',
        agent: { type: 'general-purpose' },
        model: 'scripted/model',
        permissionMode: 'acceptEdits',
        ...changes,
      };
      get(await storeOrder(engine, order, key));
      get(await sendLetter(engine, key, order.id, { uuid: randomUUID(), text: prompt, delivery: 'queue' }));
      get(await engine.enqueue({ id: order.id, label, priority: 5 }));
      get(await engine.ring(jobsBell));
      return order;
    },
    rowsOf,
    events: (id: string) => bodies<AgentEvent>(id, streams.events),
    questions: (id: string) => bodies<Question>(id, streams.questions),
    /** None while there is none, or the engine is away. */
    async tryResult(id: string): Promise<JobResult[]> {
      const rows = await engine.read(id, streams.result, 0, 10);
      return rows.ok
        ? rows.value.map(({ body }) => JSON.parse(open(id, streams.result, body)?.body ?? '') as JobResult)
        : [];
    },
    async result(id: string): Promise<JobResult> {
      return waitFor(async () => (await bodies<JobResult>(id, streams.result))[0]);
    },
  };
}

export type Submitter = ReturnType<typeof openSubmitterAt>;

/** Asks until there is an answer; the test's own limit ends it otherwise. */
export async function waitFor<T>(ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
