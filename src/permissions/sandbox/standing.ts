import type { Confinement, Decision, Rule } from '../../protocol/permission.ts';
import { deny } from '../reasons.ts';
import { foldWords, refuses } from '../shell/rules.ts';
import { readScript, type ShellAccess } from '../shell/script.ts';
import type { Call, Ceiling, Role } from '../types.ts';

/** Where a command would be run: `none` where there is no sandbox. */
export type Standing = 'none' | 'inside' | 'outside' | 'refused';

/** A command is inside unless it is excluded, or asks to be outside. */
export function standingOf(call: Call, access: ShellAccess): Standing {
  const { sandbox } = call.workspace;
  if (!sandbox) return 'none';
  if (call.input?.dangerouslyDisableSandbox === true) return sandbox.outside ? 'outside' : 'refused';
  return isExcluded(sandbox.excluded, call, access) ? 'outside' : 'inside';
}

/** One part is enough: what is excluded would not work inside. All of it is then judged as without a sandbox. */
function isExcluded(patterns: readonly string[], { workspace }: Call, access: ShellAccess): boolean {
  if (patterns.length === 0) return false;
  const rules = patterns.map(
    (pattern): Rule => ({
      // A name alone means all its calls.
      ...{ behaviour: 'deny', tool: 'Bash', specifier: pattern.includes('*') ? pattern : `${pattern}:*` },
      ...{ layer: 'user', source: 'sandbox.excludedCommands', base: workspace.cwd },
    }),
  );
  const { all } = readScript(access, workspace.userHome);
  return all.some(({ command }) => {
    const words = foldWords(command);
    return rules.some((rule) => refuses(rule, command, words) === 'yes');
  });
}

export const refusedOutside: Decision = deny(
  'sandbox',
  'nothing runs outside the sandbox here (sandbox.allowUnsandboxedCommands is false); leave dangerouslyDisableSandbox out',
);

/** Whether being confined is enough to run unasked. A limit on writing would not hold inside the workspace. */
export function liftsQuestions(standing: Standing, call: Call, ceiling: Ceiling, role: Role): boolean {
  return (
    standing === 'inside' &&
    call.workspace.sandbox?.autoAllow === true &&
    ceiling.shell === 'any' &&
    ceiling.writes === 'any' &&
    role.writes
  );
}

/** The decision with how the command is to be run. */
export function withStanding(
  decision: Decision,
  standing: Standing,
  call: Call,
  changesNothing: () => boolean,
): Decision {
  if (standing === 'none' || decision.behaviour === 'deny') return decision;
  const asks = decision.behaviour === 'ask';
  if (standing !== 'inside')
    return asks ? { ...decision, reason: `${decision.reason}; it would run outside the sandbox` } : decision;
  const outside = call.workspace.sandbox?.outside === true;
  const confine: Confinement = {
    writes: changesNothing() ? 'none' : 'workspace',
    ...(outside ? {} : { always: true }),
  };
  const reason =
    asks && outside ? `${decision.reason}; once allowed it runs outside the sandbox` : decision.reason;
  return { ...decision, reason, confine };
}
