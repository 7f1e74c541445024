import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** A worker as a program of its own, with a home of its own, which a test kills or pauses. */
export interface WorkerProcess {
  readonly name: string;
  readonly child: ChildProcess;
  /** What it said so far. */
  said(): string;
  signal(signal: NodeJS.Signals): void;
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>;
}

export interface WorkerPlan {
  program: string;
  /** Below it are its home and its files. */
  directory: string;
  name: string;
  engine: string;
  provider: string;
  args?: readonly string[];
}

/** Runs the program as the user of a worker. */
export function asWorker(plan: Omit<WorkerPlan, 'name' | 'args'>, args: readonly string[]) {
  const done = spawnSync(plan.program, args, {
    cwd: plan.directory,
    env: describeEnvironment(plan),
    encoding: 'utf8',
  });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

export function startWorkerProcess(plan: WorkerPlan): WorkerProcess {
  const { program, directory, name, args = [] } = plan;
  const child = spawn(
    program,
    ['worker', '--name', name, '--mode', 'bypassPermissions', '--no-sandbox', ...args],
    { cwd: directory, env: describeEnvironment(plan), stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  return {
    name,
    child,
    said: () => said,
    signal: (signal) => void child.kill(signal),
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}

function describeEnvironment({ directory, engine, provider }: Omit<WorkerPlan, 'name'>) {
  const user = join(directory, 'user');
  mkdirSync(user, { recursive: true });
  return {
    PATH: process.env.PATH ?? '',
    HOME: user,
    CADRE_HOME: join(directory, 'home'),
    SHELL: '/bin/sh',
    CADRE_ENGINE: engine,
    ANTHROPIC_BASE_URL: provider,
    ANTHROPIC_API_KEY: 'a-test-key',
  };
}
