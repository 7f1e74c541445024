import { basename, dirname } from 'node:path';
import { untold } from '../../lib/told.ts';
import { isWholeTool } from '../../places/names.ts';
import { foldName } from '../../places/paths.ts';
import { holders, mayBeProtected } from '../../places/protected-names.ts';
import { ask, strictness } from '../../places/reasons.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Decision, Rule } from '../../protocol/permission.ts';
import { openCover } from '../rules/rule-cover.ts';

/**
 * Removing or moving a directory changes everything in it. Returns the first decision about a path below that is not a plain
 * yes; nothing where all of it is ordinary.
 */
export function judgeRemovedBelow(
  directory: string,
  refusing: readonly Rule[],
  workspace: CallWorkspace,
  judge: (path: string) => Decision,
): Decision | undefined {
  const held = workspace.look?.held(directory);
  if (held === undefined || held === untold)
    return ask('protected-path', `the content of ${directory} is unknown, or too large to check`);
  const isRuled = openRules(refusing, workspace);
  let worst: Decision | undefined;
  for (const inner of held) {
    const path = `${directory}/${inner}`;
    if (!mayMatter(inner, path) && !isRuled(path)) continue;
    const decision = judge(path);
    if (decision.behaviour === 'deny') return decision;
    if (strictness(decision) > (worst ? strictness(worst) : 0)) worst = decision;
  }
  return worst;
}

/** In an installed package only a separate checkout matters: the rest is restored by installing it again. */
export function mayMatter(inner: string, path: string): boolean {
  const name = foldName(basename(inner));
  if (name === '.git') return true;
  if (/(?:^|\/)node_modules\//.test(path)) return false;
  return mayBeProtected(name) || gitParts.has(name) || holders.has(foldName(basename(dirname(path))));
}

/** Parts of a git directory under any name. */
const gitParts: ReadonlySet<string> = new Set(['head', 'objects', 'refs', 'commondir']);

/** Whether a rule applies to a path by its name: other names of removed files stay. */
function openRules(refusing: readonly Rule[], workspace: CallWorkspace): (path: string) => boolean {
  const covers = refusing
    .filter((rule) => rule.tool === 'Edit' && !isWholeTool(rule))
    .map((rule) => openCover(rule, 'write', workspace));
  return (path) => covers.some((isAbout) => isAbout(path));
}
