import { failure } from '../lib/result.ts';
import type { PermissionContext } from '../permissions/context.ts';
import type { Confinement, ConfinementScope, Decision, ShellEnvironment } from '../protocol/index.ts';
import { locateLargeFiles } from '../workspace/git/large-files.ts';
import { neutralGitVariables } from '../workspace/git/shell.ts';
import { readingEnvironment } from '../workspace/reading-environment.ts';
import { workPlaces } from '../workspace/search-path.ts';
import type { PreparedCall } from './prepare-call.ts';

/** The shell for one call, as its judgement requires. */
export function prepareShell(
  shell: ShellEnvironment,
  { neutralise, confine, within }: Pick<PreparedCall, 'neutralise' | 'confine' | 'within'>,
  permissions: PermissionContext,
  signal: AbortSignal,
): ShellEnvironment {
  if (confine)
    // A program that a variable names is confined too.
    return confinedShell(
      neutralise ? neutralShell(shell, neutralise.git, signal) : shell,
      { ...confine, stores: listStores(neutralise?.git ?? []) },
      permissions,
    );
  const clean = neutralise?.variables ? cleanShell(shell, neutralise.variables, permissions) : shell;
  const neutral = neutralise ? neutralShell(clean, neutralise.git, signal) : shell;
  return within ? { ...neutral, within } : neutral;
}

/** For a command that was allowed because it only reads: its git runs no program that a repository names. */
function neutralShell(
  shell: ShellEnvironment,
  directories: readonly string[],
  signal: AbortSignal,
): ShellEnvironment {
  if (directories.length === 0) return shell;
  return {
    ...shell,
    async environment() {
      const env = await shell.environment();
      return { ...env, ...(await neutralGitVariables(directories, { env, signal })) };
    },
  };
}

/** Also for such a command: none of the user's variables may lead its programs to code in the workspace. */
function cleanShell(
  shell: ShellEnvironment,
  variables: NonNullable<NonNullable<Decision['neutralise']>['variables']>,
  { workspace: { cwd, directories, userHome } }: PermissionContext,
): ShellEnvironment {
  const places = () => [...workPlaces(cwd), ...directories];
  return {
    ...shell,
    environment: async () =>
      readingEnvironment(await shell.environment(), { places, userHome }, variables === 'programs'),
  };
}

/** Where git only compares, the Git LFS of the user writes all the same. */
function listStores(directories: readonly string[]): string[] {
  return directories.flatMap((directory) => locateLargeFiles(directory) ?? []);
}

/** Everything it starts is confined to this agent's workspace, or not started at all. */
function confinedShell(
  shell: ShellEnvironment,
  confine: Confinement & Pick<ConfinementScope, 'stores'>,
  { workspace, ceiling, rules, mode }: PermissionContext,
): ShellEnvironment {
  // Nothing is passed on in plan mode.
  const { scratchpad } = mode === 'plan' ? {} : workspace;
  const denied = ceiling.denied.map((rule) => ({ ...rule, behaviour: 'deny' as const }));
  const scope = {
    ...confine,
    directories: [
      ...[workspace.cwd, ...workspace.directories],
      ...(scratchpad === undefined ? [] : [scratchpad]),
    ],
    start: workspace.isolated?.start,
    rules: [...denied, ...rules],
  };
  return {
    ...shell,
    confine: async (launch, scratch) =>
      (await shell.sandbox?.confine(launch, scope, scratch)) ??
      failure('The sandbox is no longer available.'),
  };
}
