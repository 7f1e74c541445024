import type { Decision, ShellEnvironment } from '../protocol/index.ts';
import { neutralGitVariables } from '../workspace/git-shell.ts';

/** The shell for a command that was allowed because it only looks: its git runs no program that a repository names. */
export function neutralShell(
  shell: ShellEnvironment,
  neutralise: Decision['neutralise'],
  signal: AbortSignal,
): ShellEnvironment {
  if (!neutralise) return shell;
  return {
    ...shell,
    async environment() {
      const env = await shell.environment();
      return { ...env, ...(await neutralGitVariables(neutralise.git, { env, signal })) };
    },
  };
}
