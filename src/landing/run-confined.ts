import { closeSync } from 'node:fs';
import type { Clock } from '../lib/clock.ts';
import { withFifo } from '../lib/files/fifo.ts';
import { openLaunchFiles } from '../lib/files/launch-files.ts';
import { openHash } from '../lib/hash.ts';
import { ownerVariable, type ProcessEnd, spawnOwned } from '../lib/processes/process.ts';
import { ok, type Result } from '../lib/result.ts';
import type { Launch, Rule, ShellSandbox } from '../protocol/index.ts';

export interface ConfinedShell {
  env: Record<string, string>;
  clock: Clock;
  /** Confines the command to its directory, where a sandbox exists. */
  sandbox?: ShellSandbox | undefined;
  rules: readonly Rule[];
}

export interface ConfinedRun {
  command: string;
  cwd: string;
  timeoutMs: number;
  /** How much of the end of the output is kept. */
  maxOutput: number;
  signal?: AbortSignal | undefined;
}

export interface ConfinedEnd {
  end: ProcessEnd;
  output: string;
  /** SHA-256 of all of it. */
  digest: string;
  /** What the sandbox kept it from. */
  notes: readonly string[];
}

/** Runs a shell command without a session. A problem means that it was not started. */
export async function runConfined(
  { env, clock, sandbox, rules }: ConfinedShell,
  { command, cwd, timeoutMs, maxOutput, signal }: ConfinedRun,
): Promise<Result<ConfinedEnd>> {
  const launch: Launch = { file: '/bin/sh', args: ['-c', command], cwd, env };
  const confined = (await sandbox?.ready())
    ? await sandbox?.confine(launch, { writes: 'workspace', directories: [cwd], rules })
    : undefined;
  if (confined && !confined.ok) return confined;
  const started = confined?.value.launch ?? launch;
  const opened = openLaunchFiles(confined?.value.launch.files ?? []);
  if (!opened.ok) return opened;
  const descriptors = opened.value;
  const hash = openHash();
  let output = '';
  const end = await withFifo(
    (fifo) =>
      spawnOwned({
        file: started.file,
        args: started.args,
        cwd: started.cwd,
        env: { ...started.env },
        owner: env[ownerVariable] ?? 'cadre',
        clock,
        output(chunk) {
          hash.update(chunk);
          output = (output + Buffer.from(chunk).toString('utf8')).slice(-maxOutput);
        },
        timeoutMs,
        descriptors,
        fifo,
        ...(signal ? { signal } : {}),
      }).ended,
  );
  for (const descriptor of descriptors) closeSync(descriptor);
  const notes = confined?.value.finish({ failed: end.code !== 0, output }) ?? [];
  return ok({ end, output, digest: hash.digest(), notes });
}
