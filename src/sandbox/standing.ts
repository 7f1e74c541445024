import { ask, deny } from '../places/reasons.ts';
import type { Call, Ceiling, Role } from '../places/types.ts';
import type { Confinement, Decision, PermissionMode } from '../protocol/permission.ts';
import type { ShellAccess } from '../shell/walk/script.ts';
import { isExcluded } from './excluded.ts';
import { describeShown, findShowable } from './shown-files.ts';

/**
 * Where a command would run: `none` without a sandbox, `excluded` and `leaving` outside it, because of the user's settings or
 * the call's own request.
 */
export type SandboxStanding = 'none' | 'inside' | 'excluded' | 'leaving' | 'refused';

/** A command is inside unless it is excluded, or asks to be outside. */
export function findSandboxStanding(call: Call, access: ShellAccess): SandboxStanding {
  const { sandbox } = call.workspace;
  if (!sandbox) return 'none';
  if (call.input?.dangerouslyDisableSandbox === true) return sandbox.outside ? 'leaving' : 'refused';
  return isExcluded(sandbox.excluded, call.workspace, access) ? 'excluded' : 'inside';
}

export const refusedOutside: Decision = deny(
  'sandbox',
  'nothing runs outside the sandbox here (sandbox.allowUnsandboxedCommands is false); leave dangerouslyDisableSandbox out',
);

/** Whether being sandboxed is enough to run without asking. A limit on writing would not apply inside the workspace. */
export function liftsQuestions(standing: SandboxStanding, call: Call, ceiling: Ceiling, role: Role): boolean {
  return (
    standing === 'inside' &&
    call.workspace.sandbox?.autoAllow === true &&
    ceiling.shell === 'any' &&
    ceiling.writes === 'any' &&
    role.writes
  );
}

/**
 * The decision with how the command is to be run. Leaving the sandbox itself needs approval: that a command changes nothing,
 * or edits only what it may, was judged by its text, and outside nothing enforces that judgement. A rule that names the
 * command, or a mode that asks about nothing, is the user's own decision.
 */
export function withStanding(
  decision: Decision,
  standing: SandboxStanding,
  {
    call,
    mode,
    ceiling,
    changesNothing,
  }: { call: Call; mode: PermissionMode; ceiling: Ceiling; changesNothing(): boolean },
): Decision {
  if (standing === 'none' || decision.behaviour === 'deny') return decision;
  const asks = decision.behaviour === 'ask';
  if (standing === 'leaving' && !asks && decision.by !== 'rule' && mode !== 'bypassPermissions')
    return ask('sandbox', 'it asks to run outside the sandbox, where nothing confines it');
  if (standing !== 'inside') {
    const outside = standing === 'excluded' ? { ...decision, within: listWorkspace(call) } : decision;
    return asks ? { ...outside, reason: `${decision.reason}; it would run outside the sandbox` } : outside;
  }
  // Only commands that the sandbox itself blocks need to be outside once the user has allowed them.
  const leaves = call.workspace.sandbox?.outside === true && asks && decision.needs?.outside === true;
  const offers = asks && !leaves ? findShowable(decision.needs?.files ?? [], call.workspace) : [];
  // A grant does not lift the ceiling: where nothing may be written, a granted command writes nothing either.
  const isKept = !asks && ceiling.writes !== 'any';
  const confine: Confinement = {
    writes: isKept || changesNothing() ? 'none' : 'workspace',
    ...(leaves ? {} : { always: true }),
    ...(offers.length > 0 ? { offers } : {}),
  };
  const next = leaves ? '; once allowed it runs outside the sandbox' : describeShown(offers, call.workspace);
  return { ...decision, reason: `${decision.reason}${next}`, confine };
}

function listWorkspace({ workspace: { cwd, directories, realPath } }: Call): string[] {
  return [cwd, ...directories].map((directory) => realPath(directory));
}
