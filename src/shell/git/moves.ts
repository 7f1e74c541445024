import { settlePath } from '../../places/paths.ts';
import type { CallWorkspace } from '../../places/types.ts';
import { joinPath } from '../../workspace/paths.ts';
import { isFollowed } from '../../workspace/real-path.ts';
import { literalValue, readLiteral, type ShellWord } from '../grammar/types.ts';

/**
 * Every directory in which git may look for its repository: from each one the command may run in, to each one `-C` may name.
 * Git goes by where links lead, and so do the repository above, its own names and the paths in the text.
 */
export function gitPlaces(
  move: ShellWord | undefined,
  directories: readonly string[],
  workspace: CallWorkspace,
): string[] {
  const places = gitWays(move, directories, workspace).map((path) => {
    const real = workspace.realPath(path);
    return isFollowed(path, real) ? real : path;
  });
  return [...new Set(places)];
}

/** The same by the names on the way there. */
export function gitWays(
  move: ShellWord | undefined,
  directories: readonly string[],
  workspace: CallWorkspace,
): string[] {
  const texts = move?.values?.map(({ text }) => text) ?? [''];
  // If the directory is unknown, only an absolute one is known.
  const starts = directories.length > 0 || !move ? directories : ['/'];
  const all = starts.flatMap((start) => texts.map((text) => joinPath(start, text)));
  return all.flatMap((path) => settlePath(path, workspace));
}

/** Several `-C` as one, each relative to the one before; undefined when some place is not in the text. */
export function joinMoves(moves: readonly ShellWord[]): ShellWord | undefined {
  let texts = [''];
  for (const word of moves) {
    // Without quotes an unset variable would be no word at all, and shift all that follow.
    if (!word.single || !word.values || word.values.some((value) => value.isPattern)) return undefined;
    const own = word.values.map(({ text }) => text);
    // A variable may still be unset when git runs; git stays where it is then.
    const all = readLiteral(word) === undefined ? ['', ...own] : own;
    texts = texts.flatMap((before) => all.map((text) => (before === '' ? text : joinPath(before, text))));
    if (texts.length > maxPlaces) return undefined;
  }
  const values = [...new Set(texts)].map(literalValue);
  return { text: moves.map((word) => word.text).join('/'), values, single: true };
}

const maxPlaces = 64;
