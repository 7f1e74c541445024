import { ask, deny } from '../places/reasons.ts';
import type { Call, Ceiling, Role } from '../places/types.ts';
import type { Confinement, Decision, PermissionMode } from '../protocol/permission.ts';
import type { ShellAccess } from '../shell/walk/script.ts';
import { isExcluded } from './excluded.ts';
import { describeShown, findShowable } from './shown-files.ts';

/**
 * Where a command would be run: `none` where there is no sandbox, `excluded` and `leaving` outside of one, by the
 * user's settings or by the call's own wish.
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

/** Whether being confined is enough to run unasked. A limit on writing would not hold inside the workspace. */
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
 * The decision with how the command is to be run. Leaving the sandbox is itself asked about: that a command is known to
 * change nothing, or edits what it may, was judged by its text, and outside nothing stands behind that judgement. A rule
 * that names the command, or a mode that asks about nothing, is the user's own word.
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
  // Only what the sandbox itself closes needs to be outside once a person has allowed it.
  const leaves = call.workspace.sandbox?.outside === true && asks && decision.needs?.outside === true;
  const offers = asks && !leaves ? findShowable(decision.needs?.files ?? [], call.workspace) : [];
  // A grant does not lift the ceiling: what runs by one where nothing may be written, writes nothing.
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
