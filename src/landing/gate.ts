import type { FillOptions } from '../workspace/worktrees/fill.ts';
import { type ConfinedShell, runConfined } from './run-confined.ts';
import type { Gate } from './types.ts';

export interface GateOptions extends ConfinedShell {
  command: string;
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
      const ran = await runConfined(
        { env, clock, sandbox, rules },
        { command, cwd, timeoutMs: maxMs, maxOutput, signal },
      );
      if (!ran.ok) return { passed: false, output: ran.problem.message };
      const { end, output, notes } = ran.value;
      const passed = end.code === 0;
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
