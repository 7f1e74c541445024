import { closeSync, existsSync } from 'node:fs';
import { linkAbort } from '../lib/abort.ts';
import type { Clock } from '../lib/clock.ts';
import { openLaunchFiles } from '../lib/files/launch-files.ts';
import { notStarted, type OwnedOptions, type ProcessEnd, spawnOwned } from '../lib/processes/process.ts';
import { findDialect } from '../lib/shell-dialect.ts';
import { explainWhyNotRun } from '../places/why-not-run.ts';
import type { Launch } from '../protocol/index.ts';
import type { CommandHandler, HookSource } from './entry.ts';
import { failed, type HookRun, type RunningHook, withoutAnswer } from './hook-run.ts';
import type { HookHost } from './host.ts';
import { HookOutput } from './output.ts';
import { isConfinedHook } from './project-code.ts';

export interface CommandRun {
  handler: CommandHandler;
  source: HookSource;
  /** The event, as JSON. */
  input: string;
  timeoutMs: number;
  /** Of the turn: ends a hook that is waited for. */
  signal: AbortSignal;
  /** Of the session, or of the agent that owns the hook: ends a hook in the background. */
  background: AbortSignal;
  progressed(stdout: string, stderr: string): void;
}

/**
 * Runs a hook of the user's, without keys: with the user's rights, or in the sandbox if it runs code of the project. Its
 * processes end with it.
 */
export function runCommand(host: HookHost, run: CommandRun): RunningHook {
  const controller = new AbortController();
  const unlink = linkAbort(run.handler.async ? run.background : run.signal, controller);
  let unlinkLater = () => {};
  const detached = Promise.withResolvers<HookRun>();
  const output = new HookOutput({
    flooded: () => controller.abort(),
    // A hook may itself switch to the background.
    detached() {
      unlink();
      unlinkLater = linkAbort(run.background, controller);
      detached.resolve(withoutAnswer('detached'));
    },
  });
  const stopTelling = tellProgress(host.clock, output, run.progressed);
  const ended = startOrHold(host, run, output, controller.signal).then((end) => {
    unlink();
    unlinkLater();
    stopTelling();
    return end;
  });
  return { heard: Promise.race([ended, detached.promise]), ended };
}

async function startOrHold(
  host: HookHost,
  run: CommandRun,
  output: HookOutput,
  signal: AbortSignal,
): Promise<HookRun> {
  const env = { ...(await host.environment()), ...buildHookVariables(host, run.source) };
  const { command, args } = run.handler;
  const directories = [host.projectDirectory];
  const held = await explainWhyNotRun({ command, args, directories, userHome: env.HOME ?? '/' });
  if (held !== undefined) return { ...failed(held), isHeld: true };
  const end = await start(host, run, env, output, signal);
  const heard = readHookRun(end, output);
  const isOdd = heard.kind === 'ended' && heard.exitCode !== 0 && heard.exitCode !== 2;
  return end.isConfined && isOdd ? { ...heard, stderr: `${heard.stderr}\n${inSandbox}` } : heard;
}

function start(
  host: HookHost,
  { handler, input, timeoutMs }: CommandRun,
  env: Record<string, string>,
  output: HookOutput,
  signal: AbortSignal,
): ReturnType<typeof runProcess> {
  // Not in the agent's directory, which it chooses: a script with a relative name is protected in this one. An agent under
  // guard must not escape by removing the directory that the hook runs in either.
  const place = existsSync(host.projectDirectory) ? host.projectDirectory : '/';
  const isBash = findDialect(host.shell) === 'bash';
  const shell = {
    file: host.shell,
    args: [...(isBash ? ['--noprofile', '--norc'] : []), '-c', handler.command],
  };
  const launch = {
    ...(handler.args ? { file: handler.command, args: handler.args } : shell),
    cwd: place,
    env: { ...env, PWD: place },
  };
  return runProcess(launch, isConfinedHook(handler) ? host.confine : undefined, {
    owner: host.sessionId,
    clock: host.clock,
    input,
    output: (chunk) => output.add(chunk, 'stdout'),
    errorOutput: (chunk) => output.add(chunk, 'stderr'),
    timeoutMs,
    signal,
  });
}

function buildHookVariables({ projectDirectory }: HookHost, { plugin }: HookSource): Record<string, string> {
  return {
    CLAUDE_PROJECT_DIR: projectDirectory,
    CADRE_PROJECT_DIR: projectDirectory,
    CLAUDECODE: '1',
    ...(plugin === undefined ? {} : { CLAUDE_PLUGIN_ROOT: plugin }),
  };
}

const inSandbox =
  'It ran in the sandbox, as hooks do that run code of the project; "sandbox": false in the hook lets it out.';

function readHookRun(end: Awaited<ReturnType<typeof runProcess>>, output: HookOutput): HookRun {
  const said = output.text();
  if (end.problem !== undefined) return { kind: 'failed', ...said, problem: end.problem };
  if (output.isFlooded)
    return { kind: 'failed', ...said, problem: 'it wrote too much output and was stopped' };
  if (end.timedOut) return { kind: 'timed_out', ...said };
  if (end.killed) return { kind: 'cancelled', ...said };
  if (end.code === null) return { kind: 'failed', ...said, problem: `it was terminated by ${end.signal}` };
  return { kind: 'ended', exitCode: end.code, ...said };
}

const everyMs = 1_000;

/** Something to show for a slow hook. */
function tellProgress(clock: Clock, output: HookOutput, tell: CommandRun['progressed']): () => void {
  let told = 0;
  let cancel = clock.after(everyMs, again);
  return () => cancel();

  function again(): void {
    if (output.size > told) {
      told = output.size;
      const { stdout, stderr } = output.text();
      tell(stdout, stderr);
    }
    cancel = clock.after(everyMs, again);
  }
}

/** Runs the process of a hook to its end: in the sandbox if `confine` is given and has one, else as it is. */
async function runProcess(
  launch: Launch,
  confine: HookHost['confine'],
  options: Omit<OwnedOptions, keyof Launch | 'descriptors'>,
): Promise<ProcessEnd & { isConfined?: true }> {
  const confined = await confine?.(launch);
  if (!confined) return spawnOwned({ ...options, ...launch, env: { ...launch.env } }).ended;
  if (!confined.ok) return notStarted({ problem: confined.problem.message }).ended;
  const { launch: inside, finish } = confined.value;
  const opened = openLaunchFiles(inside.files);
  if (!opened.ok) {
    finish({ failed: true, output: '' });
    return notStarted({ problem: opened.problem.message }).ended;
  }
  const { file, args, cwd, env } = inside;
  const descriptors = opened.value;
  const end = await spawnOwned({ ...options, file, args, cwd, env: { ...env }, descriptors }).ended;
  for (const descriptor of descriptors) closeSync(descriptor);
  // The sandbox itself tells the user what it took away.
  finish({ failed: end.code !== 0, output: '', code: end.code });
  return { ...end, isConfined: true };
}
