import { joinTold, type Told } from '../../lib/told.ts';
import { resolvePath } from '../../places/paths.ts';
import type { CallWorkspace } from '../../places/types.ts';
import { joinPath } from '../../workspace/paths.ts';
import { literalWord, readLiteral } from '../grammar/types.ts';
import type { PathUse } from '../programs/effect.ts';
import type { JudgedCommand } from '../walk/script.ts';
import { gitPlaces, joinMoves } from './moves.ts';
import { splitGit } from './writes.ts';

/**
 * The files that a git command opens by itself, without a word of the line that names them: reads of the line like any other.
 * Untold where git's settings cannot be read.
 */
export function findOpenedByGit(
  { command, effect }: JudgedCommand,
  workspace: CallWorkspace,
): Told<readonly PathUse[]> {
  const { look } = workspace;
  if (!look || readLiteral(command.words[0])?.replace(/^.*\//s, '') !== 'git') return [];
  const { name, rest, moves } = splitGit(command.words.slice(1));
  const move = effect.git?.move ?? (moves.length > 0 ? joinMoves(moves) : undefined);
  const isTold = rest.every(({ values }) => values?.every(({ isPattern }) => !isPattern));
  const texts = rest.flatMap(({ values = [] }) => values.map(({ text }) => text));
  const found = gitPlaces(move, command.directories, workspace).map((place) => {
    const paths = texts.map((text) => resolvePath(joinPath(place, text), workspace).real);
    return look.gitOpens(place, { subcommand: name, paths: isTold ? paths : undefined });
  });
  const opened = joinTold(...found);
  return typeof opened === 'symbol'
    ? opened
    : opened.map((path) => ({ kind: 'read', word: literalWord(path), ofGit: true }));
}
