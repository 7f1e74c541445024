import { join } from '../../lib/files/exact-paths.ts';
import { isFromPeriod, type Period } from './changes.ts';
import { type Identities, isWithinReach } from './identities.ts';
import { type Copy, takeCopy } from './kept.ts';
import { listDirectories, statEntry } from './look.ts';
import { PlantedIndexes } from './planted-indexes.ts';
import { chooseSeparator, isUnwantedLine, type ReplayFile, replayFiles } from './replay-lines.ts';

/** What must not stay in the files that say what git does next. */
export interface PlantedReplays {
  /** Lists without the unwanted lines. */
  copies: Copy[];
  /** Files with nothing else in them, links, what is too large to be judged, and misleading indexes. */
  fresh: string[];
}

const maxBytes = 4 * 1024 * 1024;

/**
 * A rebase, a cherry-pick or `git am` that stopped continues from lists in the git directory, and some of their lines run
 * programs. A sandboxed command may rebase, so it can write them, and the user's own `git rebase --continue` would run its
 * lines outside. Lines that were there before it stay. Other files there lead the user's next `git commit` or `git checkout` to
 * paths that they name, so they may only name what a command could change itself.
 */
export class ReplayLists {
  readonly #known = new Map<string, { ctime: number; lines: ReadonlySet<string> }>();
  readonly #indexes = new PlantedIndexes();

  /** `others`: when the first of the commands that are running began: what changed since may be theirs. */
  keep(directories: readonly string[], others: number): void {
    // None is running: what is gone by now is the user's work too.
    if (others === Number.POSITIVE_INFINITY) this.#known.clear();
    const places = directories.flatMap(listReplayPlaces);
    for (const { copy, unwanted } of readReplays(places))
      if (copy.ctime < others) this.#known.set(copy.path, { ctime: copy.ctime, lines: new Set(unwanted) });
    this.#indexes.keep(places, others);
  }

  /** `held`: the mounts of the command. What it could only read is not its work. */
  findPlanted(directories: readonly string[], held: Identities): PlantedReplays {
    const places = directories.flatMap(listReplayPlaces);
    const planted = withoutPlanted(readReplays(places, held), {
      isLine: (path, line) => this.#known.get(path)?.lines.has(line) === true,
      isSame: ({ path, ctime }) => this.#known.get(path)?.ctime === ctime,
    });
    const indexes = this.#indexes.find(places).filter((path) => isWithinReach(path, held));
    return { ...planted, fresh: [...planted.fresh, ...indexes] };
  }
}

/** After a command whose process was killed: nothing is known about the lines before it. */
export function findReplaysFrom(
  period: Period,
  directories: readonly string[],
  held: Identities,
): PlantedReplays {
  const places = directories.flatMap(listReplayPlaces);
  // What a record of a resolution leads to can change without it.
  const replays = readReplays(places, held).filter(
    ({ copy, file }) => file.kind === 'resolutions' || isFromPeriod(statEntry(copy.path), period),
  );
  const planted = withoutPlanted(replays, { isLine: () => false, isSame: () => false });
  const indexes = new PlantedIndexes()
    .find(places)
    .filter((path) => isWithinReach(path, held) && isFromPeriod(statEntry(path), period));
  return { ...planted, fresh: [...planted.fresh, ...indexes] };
}

/** For the model and the user. */
export const plantedReplays =
  "Instructions to the user's next git commands, which run outside the sandbox, were removed: programs to run, paths that a command could not change itself, or content of a commit that `git status` does not show (where the index is missing now: `git reset` makes it again)";

interface Replay {
  copy: Copy;
  file: ReplayFile;
  unwanted: string[];
}

/** `held`: only what a command with these mounts could write. */
function readReplays(places: readonly string[], held?: Identities): Replay[] {
  return places.flatMap((directory) =>
    replayFiles.flatMap((file): Replay[] => {
      const path = join(directory, file.folder, file.name);
      if (held && !isWithinReach(path, held)) return [];
      // Git makes no links there, and would follow them.
      const link = [join(directory, file.folder), path].find((one) => statEntry(one)?.isSymbolicLink());
      if (link === undefined && statEntry(path)?.isFile() !== true) return [];
      const copy = takeCopy(link ?? path, maxBytes);
      if (copy.kind !== 'file') return copy.kind === 'link' ? [{ copy, file, unwanted: [] }] : [];
      const place = { directory, ...(held ? { held } : {}) };
      const unwanted = splitLines(copy, file).filter((line) => isUnwantedLine(file.kind, line, place));
      return [{ copy, file, unwanted }];
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
    const left = splitLines(copy, file).filter((line) => !removed.has(line));
    const isEmpty = file.kind !== 'todo' && left.every((line) => /^\s*(?:\[.*\])?\s*$/.test(line));
    if (isUnread || isEmpty) planted.fresh.push(path);
    else
      planted.copies.push({ ...copy, content: Buffer.from(left.join(chooseSeparator(file.kind)), 'latin1') });
  }
  return planted;
}

/** Each byte is one character: what git reads need not be text. */
function splitLines({ content }: Copy, { kind }: ReplayFile): string[] {
  return (content?.toString('latin1') ?? '').split(chooseSeparator(kind));
}
