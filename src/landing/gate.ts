import { closeSync } from 'node:fs';
import type { Clock } from '../lib/clock.ts';
import { openLaunchFiles } from '../lib/files/launch-files.ts';
import { ownerVariable, spawnOwned } from '../lib/processes/process.ts';
import type { Launch, Rule, ShellSandbox } from '../protocol/index.ts';
import type { FillOptions } from '../workspace/worktrees/fill.ts';
import type { Gate } from './types.ts';

export interface GateOptions {
  command: string;
  env: Record<string, string>;
  clock: Clock;
  /** Confines the gate to the tree it checks, where a sandbox exists. */
  sandbox?: ShellSandbox | undefined;
  rules: readonly Rule[];
}

const maxGateMs = 30 * 60_000;
const maxSetupMs = 10 * 60_000;
const maxOutput = 8000;

/** The command that prepares a new worktree, held like the gate. Says why it failed. */
export function shellSetup(options: GateOptions): NonNullable<FillOptions['setUp']> {
  const { run } = shellGate(options, maxSetupMs);
  return async (cwd, signal) => {
    const { passed, output } = await run(cwd, signal);
    return passed ? undefined : `The setup command (worktree.setup: ${options.command}) failed:\n${output}`;
  };
}

/** The project's gate as a shell command. The end of its output is kept, because that explains a failure. */
export function shellGate({ command, env, clock, sandbox, rules }: GateOptions, maxMs = maxGateMs): Gate {
  return {
    command,
    isConfined: async () => (await sandbox?.ready()) !== undefined,
    async run(cwd, signal) {
      const launch: Launch = { file: '/bin/sh', args: ['-c', command], cwd, env };
      const confined = (await sandbox?.ready())
        ? await sandbox?.confine(launch, { writes: 'workspace', directories: [cwd], rules })
        : undefined;
      if (confined && !confined.ok) return { passed: false, output: confined.problem.message };
      const started = confined?.value.launch ?? launch;
      const opened = openLaunchFiles(confined?.value.launch.files ?? []);
      if (!opened.ok) return { passed: false, output: opened.problem.message };
      const descriptors = opened.value;
      let output = '';
      const keep = (chunk: Uint8Array) => {
        output = (output + Buffer.from(chunk).toString('utf8')).slice(-maxOutput);
      };
      const end = await spawnOwned({
        file: started.file,
        args: started.args,
        cwd: started.cwd,
        env: { ...started.env },
        owner: env[ownerVariable] ?? 'cadre',
        clock,
        output: keep,
        timeoutMs: maxMs,
        descriptors,
        ...(signal ? { signal } : {}),
      }).ended;
      for (const descriptor of descriptors) closeSync(descriptor);
      const passed = end.code === 0;
      const notes = confined?.value.finish({ failed: !passed, output }) ?? [];
      const why = end.timedOut
        ? [`It took longer than ${maxMs / 60_000} minutes.`]
        : end.problem
          ? [end.problem]
          : [];
      return {
        passed,
        output:
          [output.trimEnd(), ...why, ...notes].filter((text) => text !== '').join('\n') ||
          `(no output; ${end.signal === null ? `exit code ${end.code}` : `ended by ${end.signal}`})`,
      };
    },
  };
}
