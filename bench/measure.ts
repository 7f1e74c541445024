import { spawn } from 'node:child_process';
import type { Installed, Launch } from './contestant.ts';
import { watchMemory } from './memory.ts';
import type { Provider } from './provider.ts';
import { preciseNow, type SeenRequest, type Step } from './steps.ts';

/** A contestant, ready to be started in a workspace. */
export interface Runner {
  name: string;
  installed: Installed;
  launch: Launch;
  workspace: string;
}

/** One start with an answer in text: milliseconds to the first request, and that request's size. */
export async function measureStart(
  runner: Runner,
  provider: Provider,
): Promise<{ ms: number; bytes: number }> {
  const run = await perform(runner, provider, []);
  const first = expectRequests(runner, run, 1)[0];
  return { ms: (first?.arrivedAt ?? 0) - run.startedAt, bytes: first?.bytes ?? 0 };
}

/** Peak megabytes of the same one-turn run; a separate run, since measuring costs time. */
export async function measureMemory(runner: Runner, provider: Provider): Promise<number> {
  const run = await perform(runner, provider, [], true);
  expectRequests(runner, run, 1);
  return run.peakMegabytes;
}

/** Milliseconds between the end of each answer and the next request, over a run of tool calls. */
export async function measureGaps(
  runner: Runner,
  provider: Provider,
  kind: 'read' | 'shell' | 'write',
  turns: number,
): Promise<number[]> {
  const steps = Array.from({ length: turns }, (_, turn): Step => {
    if (kind === 'read')
      return {
        kind: 'call',
        call: runner.installed.read(`${runner.workspace}/file-${turn}.txt`),
        yields: `line of file ${turn}`,
      };
    return {
      kind: 'call',
      call: runner.installed.shell(
        `${kind === 'write' ? `echo ${turn} > file-0.txt; ` : ''}echo sum $((7000 + ${turn}))`,
      ),
      yields: `sum ${7000 + turn}`,
      ...(kind === 'write' ? { thinkMs: 150 } : {}),
    };
  });
  const seen = expectRequests(runner, await perform(runner, provider, steps), turns + 1);
  return seen.slice(1).map((request, index) => request.arrivedAt - (seen[index]?.answeredAt ?? 0));
}

interface Run {
  startedAt: number;
  seen: SeenRequest[];
  code: number | null;
  output: string;
  peakMegabytes: number;
}

async function perform(runner: Runner, provider: Provider, steps: Step[], watch = false): Promise<Run> {
  await provider.load(steps);
  const [program, ...beforePrompt] = runner.launch.command;
  const startedAt = preciseNow();
  const child = spawn(program, [...beforePrompt, 'Please begin.'], {
    cwd: runner.workspace,
    env: { ...inherited(), ...runner.launch.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stopWatching = watch && child.pid ? watchMemory(child.pid) : () => 0;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  clearTimeout(timer);
  return { startedAt, code, output, peakMegabytes: stopWatching(), seen: await provider.seen() };
}

/** The bench's own keys and proxies must not reach the contestants. */
export function inherited(): Record<string, string> {
  return Object.fromEntries(
    ['PATH', 'HOME', 'USER', 'LANG', 'SHELL', 'TMPDIR'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function expectRequests(runner: Runner, run: Run, count: number): SeenRequest[] {
  const strange = run.seen.findIndex((request) => !request.asExpected);
  if (strange !== -1)
    throw new Error(`${runner.name}: request ${strange + 1} lacks the result of its tool call`);
  if (run.code === 0 && run.seen.length === count) return run.seen;
  const end = run.output.trim().slice(-600);
  throw new Error(
    `${runner.name}: expected exit 0 after ${count} requests, got exit ${run.code} after ${run.seen.length}. Its last words:\n${end}`,
  );
}
