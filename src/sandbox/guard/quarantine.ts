import { writeFileSync } from '../../lib/files/exact-files.ts';
import { basename, decodePath, dirname, join, pathBytes } from '../../lib/files/exact-paths.ts';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { type RealPath, RealPlaces } from '../../lib/files/real-places.ts';
import { randomIds } from '../../lib/ids.ts';
import { formatError } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { LostLink } from '../exposure.ts';
import type { Copy } from './kept.ts';
import { removeEmptyFolder } from './left-sandboxes.ts';
import { statEntry } from './look.ts';
import { putCopyBack, putLinkBack, takeAway, takeLinkAway } from './take-away.ts';
import { noteRestored, noteTaken, takenFolder, takenLimits, trimTaken } from './taken.ts';

/** Paths that must not stay as a command left them. */
export interface ChangesToUndo {
  /** Created by it. */
  fresh: readonly string[];
  /** Those of them that are wrong only because they are links. */
  onlyLinks: ReadonlySet<string>;
  /** Changed or removed. */
  links: readonly LostLink[];
  copies: readonly Copy[];
}

interface Outcome {
  path: string;
  problem: string | undefined;
  /** Another look, perhaps of another session, has taken it meanwhile: nothing is left to do or to report. */
  isGone?: boolean;
}

/**
 * Removes files that a sandboxed command created and may not create: those from which other programs read code or settings.
 * They cannot be kept from appearing, as existing ones can be kept from changing, so they are moved as soon as the command
 * has ended, and files it removed are restored. Returns messages about the outcome. Copies are kept, within limits, because
 * the user may have created them meanwhile: `where.json` beside them says where each was.
 */
export function quarantine({ fresh, onlyLinks, links, copies }: ChangesToUndo, home: string): string[] {
  if (fresh.length + links.length + copies.length === 0) return [];
  const place = join(home, takenFolder, randomIds.token(8));
  const made = ensurePrivateDirectory(place);
  const topmost = findTopmost(fresh);
  // Before anything is removed: from then on a command of another session can create it again.
  const planned = [...topmost, ...copies.map(({ path }) => path)];
  if (made.ok) noteTaken(place, Object.fromEntries(planned.map((path, index) => [`${index + 1}`, path])));
  const lost: string[] = [];
  const options = { home, room: { ...maxTaken }, lose: (what: string) => lost.push(what) };
  const where: Record<string, string> = {};
  let count = 0;
  const away = (path: string, take: (to: string) => string | undefined): Outcome => {
    const name = `${count + 1}-${cutNameStart(path)}`;
    const problem = take(join(place, name));
    if (problem === undefined) {
      where[name] = path;
      count++;
    } else if (isMissing(path)) return { path, problem: undefined, isGone: true };
    return { path, problem };
  };
  const taken = topmost.map((path) =>
    away(path, (to) => (onlyLinks.has(path) ? takeLinkAway(path, to) : takeAway(path, to, options))),
  );
  const takenOnly = count;
  // Outer ones first.
  const sorted = [...copies].sort((a, b) => a.path.length - b.path.length);
  const restored = [
    ...sorted.map((copy) => restore(copy, (path) => away(path, (to) => takeAway(path, to, options)))),
    ...links.map(({ path, target }) => ({ path, problem: putLinkBack(path, target) })),
  ];
  const isDone = ({ problem }: Outcome) => problem === undefined;
  const failed = new Set(restored.filter((one) => !isDone(one)).map(({ path }) => path));
  const saved = sorted.filter((copy) => {
    if (!failed.has(copy.path)) return false;
    const outcome = away(copy.path, (to) => saveCopy(copy, to));
    return outcome.problem === undefined && outcome.isGone !== true;
  });
  if (made.ok) {
    noteTaken(place, where);
    noteRestored(
      place,
      restored.filter(isDone).map(({ path }) => path),
    );
  }
  trimTaken(home, Date.now());
  removeEmptyFolder(home);
  const moved = made.ok
    ? `moved to ${place}`
    : `removed, because they could not be kept: ${made.problem.message}`;
  return [
    ...say(
      `Protected paths that the command made were ${moved}`,
      taken.filter((one) => isDone(one) && one.isGone !== true),
    ),
    ...say(
      `Protected paths that changed while the command ran, by it or by another process, were restored${count > takenOnly ? `, and the changed versions ${moved}` : ''}`,
      restored.filter(isDone),
    ),
    ...say(
      'Protected paths that changed while the command ran could not be repaired; check them',
      [...taken, ...restored].filter((one) => !isDone(one)),
    ),
    ...(saved.length > 0
      ? [`Their content from before is in ${place}; where.json there says which is which`]
      : []),
    ...(made.ok ? sayLost(lost) : []),
  ];
}

/** Without those inside another one of them. A command can create thousands: each is compared with its parents alone. */
function findTopmost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  const isBelowAnother = (path: string) => {
    for (let at = path, above = dirname(at); above !== at; at = above, above = dirname(at))
      if (all.has(above)) return true;
    return false;
  };
  return [...all].filter((path) => !isBelowAnother(path));
}

/** Not where it cannot be read, or a link on the way leads elsewhere. */
function isMissing(path: string): boolean {
  const places = new RealPlaces();
  try {
    return places.look(path as RealPath).state === 'missing';
  } finally {
    places.close();
  }
}

function restore(copy: Copy, away: (path: string) => Outcome): Outcome {
  const { path } = copy;
  const cleared = statEntry(path) ? away(path) : { path, problem: undefined };
  return cleared.problem === undefined ? { path, problem: putCopyBack(copy) } : cleared;
}

/** What cannot be put back, as behind a link in the place of its directory, is not lost. */
function saveCopy({ kind, content }: Copy, to: string): string | undefined {
  if (kind !== 'file' || !content) return 'its content is not known';
  try {
    writeFileSync(to, content, { flag: 'wx', mode: 0o600 });
    return undefined;
  } catch (error) {
    return formatError(error);
  }
}

/** At one time. It is copied before the result of a command is given. */
const maxTaken = { bytes: takenLimits.bytes, entries: 20_000 };

function sayLost(lost: readonly string[]): string[] {
  const more = lost.length > maxListed ? ` and ${lost.length - maxListed} more` : '';
  return lost.length === 0 ? [] : [`Parts not kept: ${lost.slice(0, maxListed).join(', ')}${more}`];
}

const maxNameBytes = 100;

/** A name can be as long as the file system allows, and the number comes before it. */
function cutNameStart(path: string): string {
  return decodePath(pathBytes(basename(path)).subarray(-maxNameBytes));
}

const maxListed = 10;

/** The command chooses the names; they must not pass for our own lines. */
function say(what: string, outcomes: readonly Outcome[]): string[] {
  if (outcomes.length === 0) return [];
  const named = outcomes
    .slice(0, maxListed)
    .map(
      ({ path, problem }) =>
        `${visibleLine(path, 300)}${problem === undefined ? '' : ` (${visibleLine(problem, 600)})`}`,
    );
  const more = outcomes.length - named.length;
  return [`${what}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
}
