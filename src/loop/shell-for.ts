import { failure } from '../lib/result.ts';
import type { PermissionContext } from '../permissions/context.ts';
import type { Confinement, Decision, ShellEnvironment } from '../protocol/index.ts';
import { neutralGitVariables } from '../workspace/git-shell.ts';
import type { PreparedCall } from './prepare-call.ts';

/** The shell for one call, as its judgement wants it. */
export function shellFor(
  shell: ShellEnvironment,
  { neutralise, confine, within }: Pick<PreparedCall, 'neutralise' | 'confine' | 'within'>,
  permissions: PermissionContext,
  signal: AbortSignal,
): ShellEnvironment {
  const neutral = neutralise ? neutralShell(shell, neutralise, signal) : shell;
  if (confine) return confinedShell(neutral, confine, permissions);
  return within ? { ...neutral, within } : neutral;
}

/** For a command that was allowed because it only looks: its git runs no program that a repository names. */
function neutralShell(
  shell: ShellEnvironment,
  neutralise: NonNullable<Decision['neutralise']>,
  signal: AbortSignal,
): ShellEnvironment {
  return {
    ...shell,
    async environment() {
      const env = await shell.environment();
      return { ...env, ...(await neutralGitVariables(neutralise.git, { env, signal })) };
    },
  };
}

/** What it starts is confined to this agent's workspace, or not started at all. */
function confinedShell(
  shell: ShellEnvironment,
  confine: Confinement,
  { workspace, ceiling, rules, mode }: PermissionContext,
): ShellEnvironment {
  // Nothing is handed on while a plan is being made.
  const { scratchpad } = mode === 'plan' ? {} : workspace;
  const denied = ceiling.denied.map((rule) => ({ ...rule, behaviour: 'deny' as const }));
  const scope = {
    ...confine,
    directories: [
      ...[workspace.cwd, ...workspace.directories],
      ...(scratchpad === undefined ? [] : [scratchpad]),
    ],
    rules: [...denied, ...rules],
  };
  return {
    ...shell,
    confine: async (launch, scratch) =>
      (await shell.sandbox?.confine(launch, scope, scratch)) ?? failure('There is no sandbox any more.'),
  };
}
