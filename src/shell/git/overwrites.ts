import { untold } from '../../lib/told.ts';
import { isWholeTool } from '../../places/names.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Rule } from '../../protocol/permission.ts';
import { isWithin, joinPath } from '../../workspace/paths.ts';
import { readLiteral, type ShellWord } from '../grammar/types.ts';
import { openCover } from '../rules/rule-cover.ts';
import type { JudgedCommand } from '../walk/script.ts';
import { gitPlaces, joinMoves } from './moves.ts';
import { splitGit } from './writes.ts';

/**
 * A rule that refuses changing a tracked file, where a git command puts files of the work tree back without naming them.
 * Named files are judged like any other.
 */
export function findOverwritten(
  { command }: JudgedCommand,
  rules: readonly Rule[],
  workspace: CallWorkspace,
): Rule | undefined {
  const { look, realPath } = workspace;
  const refusing = rules.filter((rule) => rule.tool === 'Edit' && !isWholeTool(rule));
  if (refusing.length === 0 || !look) return undefined;
  if (readLiteral(command.words[0])?.replace(/^.*\//s, '') !== 'git') return undefined;
  const { name, rest, moves } = splitGit(command.words.slice(1));
  const reached = findReached(name, rest);
  if (reached === undefined) return undefined;
  for (const place of gitPlaces(
    moves.length > 0 ? joinMoves(moves) : undefined,
    command.directories,
    workspace,
  )) {
    const kept = look.tracked(place);
    if (kept === untold) return refusing[0];
    const tops = reached === 'all' ? ['/'] : reached.map((path) => joinPath(place, path));
    const changed = kept.filter((path) => tops.some((top) => isWithin(path, top)));
    const found = refusing.find((rule) => {
      const isAbout = openCover(rule, 'write', workspace);
      return changed.some((path) => isAbout(path, realPath(path)));
    });
    if (found) return found;
  }
  return undefined;
}

/** What of the work tree it puts back: paths, or all of it; undefined for nothing. */
function findReached(name: string, rest: readonly ShellWord[]): readonly string[] | 'all' | undefined {
  const texts = rest.map(readLiteral);
  const has = (form: RegExp) => texts.some((text) => text === undefined || form.test(text));
  switch (name) {
    case 'reset':
      return has(/^--(?:h|m|k|rec)/) ? 'all' : undefined;
    case 'switch':
      return has(/^(?:-\w*f|--f|--d)/) ? 'all' : undefined;
    case 'stash':
      return has(/^(?:list|show|drop|clear|create|store)$/) ? undefined : 'all';
    case 'restore':
      if (has(/^(?:--st|-\w*S)/) && !has(/^(?:--w|-\w*W)/)) return undefined;
      return readPaths(texts);
    case 'checkout':
      return has(/^(?:-\w*f|--f)/) ? 'all' : readPaths(texts);
    default:
      return undefined;
  }
}

/** Words that may be paths. One with a pattern, from the top (`:/`), or computed may be any. */
function readPaths(texts: readonly (string | undefined)[]): readonly string[] | 'all' {
  const paths = texts.filter((text) => text === undefined || !text.startsWith('-'));
  const isPlain = (text: string | undefined): text is string =>
    text !== undefined && !/^:|[*?[\\]/.test(text);
  const isListed = texts.some((text) => text?.startsWith('--pathspec-from'));
  return paths.every(isPlain) && !isListed ? paths : 'all';
}
