import type { PermissionContext } from '../permissions/context.ts';
import type { Role } from '../permissions/types.ts';
import type { PermissionMode, Rule } from '../protocol/index.ts';

export interface OwnPermissions {
  role: Role;
  /** From the mode of whoever started it, as it is now. */
  mode(parent: PermissionMode): PermissionMode;
  rules(): readonly Rule[];
  /** Directories of its own, which it writes unasked. */
  writable?: readonly string[] | undefined;
  /** Where it writes its plan, in a plan mode that is its own and not the session's. */
  planFile?(): string;
}

/**
 * What a child is judged by: the session's ceiling, handed on unchanged, and a role, a mode and rules of its own under
 * it. Looked up at every call, so that what the user changes for the parent counts for the child at once.
 */
export function childPermissions(
  above: () => PermissionContext,
  own: OwnPermissions,
): () => PermissionContext {
  return () => {
    const { ceiling, workspace, mode: parentMode } = above();
    const mode = own.mode(parentMode);
    const plans = mode === 'plan' && workspace.planFile === undefined && own.planFile;
    const { writable } = own;
    return {
      ceiling,
      role: own.role,
      mode,
      rules: own.rules(),
      workspace: {
        ...workspace,
        ...(plans ? { planFile: plans() } : {}),
        ...(writable ? { writable } : {}),
      },
    };
  };
}
