import { leadsElsewhere, matchesPathRule } from '../../places/path-rules.ts';
import { foldName } from '../../places/paths.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Rule } from '../../protocol/permission.ts';

/** Whether a rule that refuses is about a path by its name, of many paths: most have nothing of the rule in them. */
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
    (mayBeAbout(path) || (real !== path && mayBeAbout(real))) &&
    matchesPathRule(rule, { given: path, real }, kind, workspace);
}

/** Pieces of text that are in every path that a rule is about. */
export function listLiterals({ specifier = '' }: Rule): string[] {
  // What is before `..` is not in those paths.
  const text = specifier.replace(/^.*(?:^|\/)\.\.(?=\/|$)/s, '');
  return foldName(text)
    .split(/[/~]|\*+|\?|\[[^\]]*\]?|\\./)
    .filter((piece) => piece !== '' && piece !== '.');
}
