import { isWithin } from '../workspace/paths.ts';
import { judge, type PermissionContext } from './context.ts';

/**
 * Whether a search may show a file that it meets. What an agent may not open it may not find either: deny rules,
 * its role, the ceiling and our own secrets hold file by file. Asking is no reason to hide: the search was allowed.
 */
export function readFilter(context: PermissionContext): (path: string) => boolean {
  const { rules, ceiling, workspace } = context;
  const isPlain = ceiling.denied.length === 0 && !rules.some((rule) => rule.behaviour === 'deny');
  return (path) => {
    // Most sessions have nothing to hide, and a search meets thousands of files.
    if (isPlain && !isWithin(path, workspace.home)) return true;
    return (
      judge(context, { tool: 'Read', accesses: [{ kind: 'read', path }], input: {} }).behaviour !== 'deny'
    );
  };
}
