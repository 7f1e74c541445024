import { leadsElsewhere, listTwinNames, matchesPathRule } from '../../places/path-rules.ts';
import { foldName } from '../../places/paths.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Rule } from '../../protocol/permission.ts';

/** Whether a refusing rule applies to a path by its name, for many paths: most share nothing with the rule. */
export function openCover(
  rule: Rule,
  kind: 'read' | 'write',
  { look: _, ...workspace }: CallWorkspace,
): (path: string, real?: string) => boolean {
  const literals = leadsElsewhere(rule, workspace) ? [] : listLiterals(rule);
  const mayBeAbout = (path: string) => {
    const folded = foldName(path);
    return literals.every((piece) => folded.includes(piece));
  };
  return (path, real = path) =>
    listTwinNames({ given: path, real }, workspace).some(mayBeAbout) &&
    matchesPathRule(rule, { given: path, real }, kind, workspace);
}

/** Pieces of text that are in every path that a rule covers. */
export function listLiterals({ specifier = '' }: Rule): string[] {
  // The part before `..` is not in those paths.
  const text = specifier.replace(/^.*(?:^|\/)\.\.(?=\/|$)/s, '');
  return foldName(text)
    .split(/[/~]|\*+|\?|\[[^\]]*\]?|\\./)
    .filter((piece) => piece !== '' && piece !== '.');
}
