import type { Rule } from '../../protocol/permission.ts';
import { isWholeTool } from '../match.ts';
import { matchesPathRule } from '../path-rules.ts';
import { foldName } from '../paths.ts';
import type { CallWorkspace } from '../types.ts';
import { gitPlaces } from './git-moves.ts';
import type { JudgedCommand } from './script.ts';
import { literalOf } from './types.ts';

/**
 * A rule that refuses or asks about reading a file that git keeps, where a command shows what git keeps without naming
 * it. Named paths are judged like any other.
 */
export function findKept(
  one: JudgedCommand,
  rules: readonly Rule[],
  workspace: CallWorkspace,
): Rule | undefined {
  const git = one.effect.known ? one.effect.git : undefined;
  if (git?.shows !== 'contents' || !workspace.look) return undefined;
  const refusing = rules.filter(
    (rule) => rule.tool === 'Read' && rule.behaviour !== 'allow' && !isWholeTool(rule),
  );
  if (refusing.length === 0) return undefined;
  if (git.words.some((word) => !word.values)) return refusing[0];
  const isNarrow = git.words.length > 0 && git.words.every((word) => /^[^:]*:./.test(literalOf(word) ?? ''));
  if (git.within || isNarrow) return undefined;
  for (const place of gitPlaces(git.move, one.command.directories, workspace)) {
    const kept = workspace.look.tracked(place);
    const found = refusing.find((rule) => !kept || kept.some((path) => covers(rule, path, workspace)));
    if (found) return found;
  }
  return undefined;
}

/** Most names have nothing of the rule in them, and are told by that. */
function covers(rule: Rule, path: string, workspace: CallWorkspace): boolean {
  const folded = foldName(path);
  if (!literalsOf(rule).every((piece) => folded.includes(piece))) return false;
  return matchesPathRule(rule, { given: path, real: path }, 'read', workspace);
}

function literalsOf({ specifier = '' }: Rule): string[] {
  return foldName(specifier)
    .split(/[/~]|\*+|\?|\[[^\]]*\]?|\\./)
    .filter((piece) => piece !== '' && piece !== '.');
}
