import { isCredential } from '../places/credentials.ts';
import { rememberPaths } from '../places/paths.ts';
import { isOwnSecret } from '../places/protected.ts';
import type { CallWorkspace } from '../places/types.ts';
import { findStoreAt } from '../shell/git/stores.ts';
import { isWithin } from '../workspace/paths.ts';
import { judge, type PermissionContext } from './context.ts';

/**
 * Whether a search may show a file it finds. An agent cannot find files it may not open: deny rules, its role, the ceiling
 * and our own secrets apply file by file. Files that would be asked about are shown, because the search was allowed, except
 * for the content of credential files.
 */
export function readFilter(context: PermissionContext, tool = 'Read'): (path: string) => boolean {
  const { rules, ceiling, role } = context;
  // A search is one decision about many files. Every call gets a filter, and most calls search nothing.
  let opened: { own: PermissionContext; home: string; isPlain: boolean } | undefined;
  const open = () => {
    const workspace = rememberPaths(context.workspace);
    const isPlain = ceiling.denied.length === 0 && !rules.some((rule) => rule.behaviour === 'deny');
    return { own: { ...context, workspace }, home: workspace.realPath(workspace.home), isPlain };
  };
  return (path) => {
    opened ??= open();
    const { own, home, isPlain } = opened;
    const { workspace } = own;
    // Most sessions have nothing to hide, and a search meets thousands of files.
    const isOpen = isPlain && !isWithin(path, workspace.home) && !isWithin(workspace.realPath(path), home);
    const isObject = tool !== 'Glob' && (!isPlain || role.secrets === 'closed') && isStored(path, workspace);
    const isSecret = () => isOwnSecret({ given: path, real: path }, workspace);
    if (isOpen && !isObject && !isCredential(path) && !workspace.look?.sameFile(path) && !isSecret())
      return true;
    const { behaviour, by } = judge(own, { tool: 'Read', accesses: [{ kind: 'read', path }], input: {} });
    return behaviour === 'ask'
      ? (by !== 'protected-path' && !isObject) || tool === 'Glob'
      : behaviour === 'allow';
  };
}

/** A search leaves out `.git` unless it begins there. */
function isStored(path: string, { look, realPath }: CallWorkspace): boolean {
  return findStoreAt({ given: path, real: realPath(path) }, look) !== undefined;
}
