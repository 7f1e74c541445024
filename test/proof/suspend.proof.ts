import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Proof } from '../../scripts/proofs.ts';
import { type ManualClock, manualClock } from '../../src/lib/clock.ts';
import type { AgentEvent } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { Session } from '../../src/session/session.ts';
import { isUnderWay } from '../../src/tasks/tasks.ts';
import { type FakeProvider, fakeProvider } from '../../src/testing/index.ts';
import { Jobs, jobSettings } from './suspend-jobs.ts';

const hour = 3_600_000;
const capUsd = 2;
/** A kill holds what the requests in flight had reserved. */
const killedCapUsd = 20;

const proof: Proof = {
  name: 'suspend',
  promise:
    'G13: agents whose five-hour quota ends send nothing before its reset, none fails, and the spend stays within its cap; after kill -9 in the middle of it, and a start before the reset, a start after it ends well',
  async run(full) {
    const waited = await inDirectory((directory) => waitForReset(directory, 100));
    const killed = await inDirectory((directory) => killAndContinue(directory, full ? 100 : 24));
    const faults = [...waited.faults, ...killed.faults];
    return {
      passed: faults.length === 0,
      figures: {
        agents: 100,
        'requests before the reset': waited.early + killed.early,
        'failed agents': waited.failed,
        'spent, $': waited.spentUsd,
        'cap, $': capUsd,
        'agents, kill -9': killed.agents,
        'reports after it': killed.reports,
      },
      detail: faults.join('\n'),
    };
  },
};

export default proof;

async function inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-proof-')));
  mkdirSync(join(directory, 'work'));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** One session, whose clock is ours: five hours pass while all its agents wait. */
async function waitForReset(directory: string, agents: number) {
  const clock = manualClock(Date.UTC(2026, 0, 1));
  const resetsAt = clock.now() + 5 * hour;
  const isReset = () => clock.now() >= resetsAt;
  const jobs = new Jobs(agents, {
    requests: Math.floor(agents / 2),
    retryAfterMs: () => resetsAt - clock.now(),
    isReset,
    now: () => clock.now(),
  });
  await using provider = await fakeProvider({ script: jobs.script });
  const session = await openJobs(directory, provider, clock, agents);
  const failures = countFailures(session);
  session.send({ type: 'prompt', content: 'Start the jobs.' });
  await driveUntil(clock, 0, () => isAllSuspended(session, agents));
  const before = jobs.times.length;
  while (clock.now() + hour / 2 < resetsAt) await pass(clock, hour / 2);
  await pass(clock, resetsAt - clock.now() - 1);
  const early = jobs.times.length - before;
  await driveUntil(clock, 50, () => isDone(session));
  const { totalMicroUsd, rows } = session.cost();
  const spentUsd = (totalMicroUsd ?? Number.POSITIVE_INFINITY) / 1_000_000;
  await session.close();
  const faults = [
    ...(early > 0 ? [`${early} requests were sent before the reset`] : []),
    ...(failures.count > 0 ? [`${failures.count} agents failed: ${failures.first}`] : []),
    ...(spentUsd > capUsd ? [`spent $${spentUsd} of $${capUsd}`] : []),
    ...(rows.length !== agents + 1 ? [`${rows.length} of ${agents + 1} agents were billed`] : []),
    ...findEffectFaults(directory, agents),
    ...(failures.said.includes(`All ${agents} reports.`) ? [] : ['not all reports arrived']),
  ];
  return { faults, early, failed: failures.count, spentUsd };
}

async function openJobs(
  directory: string,
  provider: FakeProvider,
  clock: ManualClock,
  agents: number,
): Promise<Session> {
  const opened = await openSession({
    ...{ clock, cwd: join(directory, 'work'), permissionMode: 'bypassPermissions', allowBypass: true },
    environment: { ...environmentIn(directory), ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'key' },
    settings: JSON.stringify({ ...jobSettings, agents: { ...jobSettings.agents, maxConcurrent: agents } }),
    maxBudgetUsd: capUsd,
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  return opened.value;
}

interface Failures {
  count: number;
  first: string;
  /** The lead's answers. */
  said: string;
}

function countFailures(session: Session): Failures {
  const found: Failures = { count: 0, first: '', said: '' };
  const note = (event: AgentEvent) => {
    if (event.type !== 'run_ended') return;
    if (event.agentId === null) found.said += event.outcome.text;
    if (event.outcome.kind === 'completed') return;
    found.count++;
    found.first ||= `${event.outcome.kind} ${event.outcome.reason}`;
  };
  void (async () => {
    for await (const event of session.events()) note(event);
  })();
  return found;
}

/** Some have ended before; the lead waits for those in the foreground. */
function isAllSuspended(session: Session, agents: number): boolean {
  const tasks = session.tasks().filter(({ kind }) => kind === 'local_agent');
  const running = tasks.filter(isUnderWay);
  return tasks.length === agents && running.length > 0 && running.every(({ suspended }) => suspended);
}

function isDone(session: Session): boolean {
  return (
    session.tasks().every((task) => !isUnderWay(task)) &&
    session.queuedPrompts().length === 0 &&
    isIdle(session)
  );
}

function isIdle(session: Session): boolean {
  return JSON.stringify(session.messages().at(-1) ?? {}).includes(' reports.');
}

async function pass(clock: ManualClock, ms: number): Promise<void> {
  clock.advance(ms);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Requests take real time, so that the clock moves a little for each turn of the event loop. */
async function driveUntil(clock: ManualClock, stepMs: number, isOver: () => boolean): Promise<void> {
  for (const end = performance.now() + maxRealMs; !isOver(); ) {
    if (performance.now() > end) throw new Error('the session did not come to an end');
    clock.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const maxRealMs = 300_000;

/** The program itself: killed while its agents wait, started too early, and started after the reset. */
async function killAndContinue(directory: string, agents: number) {
  let isReset = false;
  const jobs = new Jobs(agents, {
    requests: agents,
    retryAfterMs: () => 5 * hour,
    isReset: () => isReset,
    now: () => Date.now(),
  });
  await using provider = await fakeProvider({ script: jobs.script });
  await killWhenSuspended(directory, provider, ['Start the jobs.']);
  const before = jobs.times.length;
  await killWhenSuspended(directory, provider, ['--continue']);
  const short = await startProgram(directory, provider, ['--continue'], []).ended;
  const early = jobs.times.length - before;
  isReset = true;
  passTime(directory);
  const { code, out, err } = await startProgram(directory, provider, ['--continue'], []).ended;
  const isWhole = out.includes(`All ${agents} reports.`);
  const faults = [
    ...(early > 0 ? [`${early} requests were sent before the reset`] : []),
    ...(short.code === 75 ? [] : [`before the reset, without --wait: ended with ${short.code}`]),
    ...(code === 0 && isWhole ? [] : [`after the reset: ended with ${code}: ${out} ${err.slice(-500)}`]),
    ...findEffectFaults(directory, agents),
  ];
  return { faults, early, agents, reports: isWhole ? agents : 0 };
}

async function killWhenSuspended(directory: string, provider: FakeProvider, more: string[]): Promise<void> {
  const running = startProgram(directory, provider, more, ['--wait', '6h']);
  const ended = running.ended.then(({ code, err }) => {
    if (code !== null) throw new Error(`ended with ${code} instead of waiting: ${err}`);
  });
  await Promise.race([running.suspended, ended]);
  running.kill();
  await ended;
}

function startProgram(directory: string, provider: FakeProvider, more: string[], flags: string[]) {
  const program = join(import.meta.dirname, '..', '..', 'dist', 'cadre');
  const common = ['--permission-mode', 'bypassPermissions', '--max-budget-usd', String(killedCapUsd)];
  const args = ['-p', ...more, ...common, '--settings', JSON.stringify(jobSettings), ...flags];
  const child = spawn(program, args, {
    cwd: join(directory, 'work'),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environmentIn(directory), ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'key' },
  });
  let out = '';
  let err = '';
  const suspended = Promise.withResolvers<void>();
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
    if (err.includes('Suspended until')) suspended.resolve();
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
  return { ended, suspended: suspended.promise, kill: () => child.kill('SIGKILL') };
}

function environmentIn(directory: string): Record<string, string> {
  return { PATH: '/usr/bin:/bin', HOME: directory, SHELL: '/bin/sh', CADRE_HOME: join(directory, 'state') };
}

/** The stored limit is over: as if its hours had passed. */
function passTime(directory: string): void {
  const root = join(directory, 'state', 'pacing');
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const path = join(root, name);
    if (!name.endsWith('.json')) continue;
    const note = JSON.parse(readFileSync(path, 'utf8'));
    if (!note.hold) continue;
    note.hold.at -= note.hold.delayMs + 1_000;
    writeFileSync(path, JSON.stringify(note));
  }
}

/** Each agent's command ran, and ran once. */
function findEffectFaults(directory: string, agents: number): string[] {
  const path = join(directory, 'work', 'effects');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  return lines.length === agents && new Set(lines).size === agents
    ? []
    : [`${lines.length} commands ran, ${new Set(lines).size} of ${agents} once`];
}
