import { join } from '../../lib/files/exact-paths.ts';
import { isFromPeriod, type Period } from './changes.ts';
import { type Identities, isWithinReach } from './identities.ts';
import { type Copy, takeCopy } from './kept.ts';
import { listDirectories, statEntry } from './look.ts';
import { isUnwantedLine, type ReplayFile, replayFiles } from './replay-lines.ts';

/** What must not stay in the lists of what git does next. */
export interface PlantedReplays {
  /** Lists without the lines that run programs. */
  copies: Copy[];
  /** Files with nothing else in them, links, and what is too large to be judged. */
  fresh: string[];
}

const maxBytes = 4 * 1024 * 1024;

/**
 * A rebase, a cherry-pick or `git am` that stopped continues from lists in the git directory, and some of their lines run
 * programs. A sandboxed command may rebase, so it can write them, and the user's own `git rebase --continue` would run its
 * lines outside. Lines that were there before it stay.
 */
export class ReplayLists {
  readonly #known = new Map<string, { ctime: number; lines: ReadonlySet<string> }>();

  /** `others`: when the first of the commands that are running began: what changed since may be theirs. */
  keep(directories: readonly string[], others: number): void {
    // None is running: what is gone by now is the user's work too.
    if (others === Number.POSITIVE_INFINITY) this.#known.clear();
    for (const { copy, unwanted } of readReplays(directories))
      if (copy.ctime < others) this.#known.set(copy.path, { ctime: copy.ctime, lines: new Set(unwanted) });
  }

  /** `held`: the mounts of the command. What it could only read is not its work. */
  findPlanted(directories: readonly string[], held: Identities): PlantedReplays {
    return withoutPlanted(readReplays(directories).filter(isReached(held)), {
      isLine: (path, line) => this.#known.get(path)?.lines.has(line) === true,
      isSame: ({ path, ctime }) => this.#known.get(path)?.ctime === ctime,
    });
  }
}

/** After a command whose process was killed: nothing is known about the lines before it. */
export function findReplaysFrom(
  period: Period,
  directories: readonly string[],
  held: Identities,
): PlantedReplays {
  return withoutPlanted(
    readReplays(directories)
      .filter(isReached(held))
      .filter(({ copy }) => isFromPeriod(statEntry(copy.path), period)),
    { isLine: () => false, isSame: () => false },
  );
}

/** For the model and the user. */
export const plantedReplays =
  'Lines that make git run programs outside the sandbox when a rebase, a cherry-pick or `git am` continues were removed';

interface Replay {
  copy: Copy;
  file: ReplayFile;
  unwanted: string[];
}

function readReplays(directories: readonly string[]): Replay[] {
  return directories.flatMap(listReplayPlaces).flatMap((directory) =>
    replayFiles.flatMap((file): Replay[] => {
      const path = join(directory, file.folder, file.name);
      // Git makes no links there, and would follow them.
      const link = [join(directory, file.folder), path].find((one) => statEntry(one)?.isSymbolicLink());
      if (link === undefined && statEntry(path)?.isFile() !== true) return [];
      const copy = takeCopy(link ?? path, maxBytes);
      if (copy.kind !== 'file') return copy.kind === 'link' ? [{ copy, file, unwanted: [] }] : [];
      return [{ copy, file, unwanted: splitLines(copy).filter((line) => isUnwantedLine(file.kind, line)) }];
    }),
  );
}

/** A git directory, its worktrees, and the git directories of its submodules, whose names may contain slashes. */
function listReplayPlaces(directory: string): string[] {
  const worktrees = listDirectories(join(directory, 'worktrees'));
  const found = [directory, ...worktrees];
  const ahead = listDirectories(join(directory, 'modules'));
  for (let at = 0; at < ahead.length && at < maxModules; at++) {
    const one = ahead[at] ?? '';
    if (statEntry(join(one, 'HEAD')) === undefined) ahead.push(...listDirectories(one));
    else found.push(...listReplayPlaces(one));
  }
  return found;
}

const maxModules = 1000;

function isReached(held: Identities): (replay: Replay) => boolean {
  return ({ copy }) => isWithinReach(copy.path, held);
}

interface KnownReplays {
  isLine(path: string, line: string): boolean;
  /** For one that was too large to be read. */
  isSame(copy: Copy): boolean;
}

function withoutPlanted(replays: readonly Replay[], known: KnownReplays): PlantedReplays {
  const planted: PlantedReplays = { copies: [], fresh: [] };
  for (const { copy, file, unwanted } of replays) {
    const { path, content } = copy;
    const removed = new Set(unwanted.filter((line) => !known.isLine(path, line)));
    const isUnread = (content === undefined || copy.kind === 'link') && !known.isSame(copy);
    if (removed.size === 0 && !isUnread) continue;
    const left = splitLines(copy).filter((line) => !removed.has(line));
    const isEmpty = file.kind !== 'todo' && left.every((line) => /^\s*(?:\[.*\])?\s*$/.test(line));
    if (isUnread || isEmpty) planted.fresh.push(path);
    else planted.copies.push({ ...copy, content: Buffer.from(left.join('\n'), 'latin1') });
  }
  return planted;
}

/** Each byte is one character: what git reads need not be text. */
function splitLines({ content }: Copy): string[] {
  return (content?.toString('latin1') ?? '').split('\n');
}
