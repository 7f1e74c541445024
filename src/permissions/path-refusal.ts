import { coversAll, matchesToolName } from '../places/names.ts';
import { hasUntoldNames, matchesPathRule } from '../places/path-rules.ts';
import { rememberPaths, resolvePath } from '../places/paths.ts';
import { isOwnSecret } from '../places/protected.ts';
import { nameRule } from '../places/reasons.ts';
import type { CallWorkspace } from '../places/types.ts';
import type { Rule } from '../protocol/permission.ts';

export interface PathRefusal {
  readonly reason: string;
  /** The rule refuses the tool as a whole, and says nothing about this file. */
  readonly isWhole: boolean;
}

const tools = { read: ['Read'], write: ['Edit', 'Write', 'NotebookEdit'] };

/**
 * Why Cadre does not touch a file for an agent that has not asked for it by a call of its own: memory and its imports, notes,
 * what a worktree is filled with, what lands. Deny rules hold for these as for calls, and nobody would be asked. Only paths
 * are judged, so nothing of the judge of commands is loaded.
 */
export function openPathRefusal(
  rules: readonly Rule[],
  kind: 'read' | 'write',
  workspace: CallWorkspace,
): (path: string) => PathRefusal | undefined {
  const denying = rules.filter(
    (rule) => rule.behaviour === 'deny' && tools[kind].some((tool) => matchesToolName(rule.tool, tool)),
  );
  return (path) => {
    const around = rememberPaths(workspace);
    const resolved = resolvePath(path, around);
    if (isOwnSecret(resolved, around))
      return { reason: "it holds Cadre's keys or trust decisions", isWhole: false };
    const covers = (one: Rule) => !coversAll(one) && matchesPathRule(one, resolved, kind, around);
    const rule = denying.find(covers) ?? denying.find(coversAll);
    if (rule) return { reason: `${nameRule(rule)} denies it`, isWhole: coversAll(rule) };
    if (denying.length === 0 || !hasUntoldNames(resolved, around)) return undefined;
    return { reason: 'it has other hard links, to which a deny rule may apply', isWhole: false };
  };
}
