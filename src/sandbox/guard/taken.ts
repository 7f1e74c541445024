import { writeFileSync } from '../../lib/files/exact-files.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { removeTree } from '../../lib/files/remove-tree.ts';
import { form } from '../../lib/form/form.ts';
import { listKnown } from '../../lib/told.ts';
import { readIdentity } from './identities.ts';
import { readJournals } from './left-journals.ts';
import { setAside } from './left-sandboxes.ts';
import { listNames, statEntry } from './look.ts';
import { openUp } from './open-up.ts';

/** Files taken away from where a command created them, in `<home>/taken`. */
export const takenFolder = 'taken';

export const takenLimits = { days: 30, bytes: 100 * 1024 * 1024 };

const dayMs = 24 * 60 * 60 * 1000;

export interface TakenFile {
  path: string;
  /** When the last of it was added. */
  time: number;
  bytes: number;
}

/** Our own actions at protected paths since some time, on behalf of any session. */
export interface Handled {
  /** Taken away: whatever is there now came later. */
  taken: ReadonlySet<string>;
  /** Whether it was restored and is unchanged since. */
  isRestored(path: string): boolean;
}

const whereSchema = form.record(form.string());
const [whereFile, restoredFile] = ['where.json', 'restored.json'];

/** For users, and for commands that run meanwhile: the original path of each file. */
export function noteTaken(place: string, where: Readonly<Record<string, string>>): void {
  note(join(place, whereFile), where);
}

export function noteRestored(place: string, paths: readonly string[]): void {
  if (paths.length === 0) return;
  note(join(place, restoredFile), Object.fromEntries(paths.map((path) => [path, formatMark(path)])));
}

/** `taken`: what is in the folders for it, of all sessions that may have done so. */
export function readHandled(taken: readonly string[], since: number): Handled {
  const places = taken.filter((path) => (statEntry(path)?.mtimeMs ?? 0) >= since);
  const restored = new Map(places.flatMap((path) => Object.entries(read(join(path, restoredFile)))));
  return {
    taken: new Set(places.flatMap((path) => Object.values(read(join(path, whereFile))))),
    isRestored: (path) => restored.has(path) && restored.get(path) === formatMark(path),
  };
}

/** A file that was changed since has another time, and so has a directory that got a new entry. */
function formatMark(path: string): string {
  return `${readIdentity(path)} ${statEntry(path)?.ctimeMs}`;
}

function note(file: string, value: Readonly<Record<string, string>>): void {
  try {
    writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  } catch {
    // The names of the files still show it.
  }
}

const maxBytes = 16 * 1024 * 1024;

function read(file: string): Record<string, string> {
  try {
    return whereSchema.parse(JSON.parse(readBoundedText(file, maxBytes, { refusesLinks: true }) ?? ''));
  } catch {
    return {};
  }
}

/** Newest first. */
export function listTaken(home: string): TakenFile[] {
  const directory = join(home, takenFolder);
  return listKnown(listNames(directory))
    .flatMap((name): TakenFile[] => {
      const path = join(directory, name);
      const found = statEntry(path);
      return found?.isDirectory() ? [{ path, time: found.mtimeMs, bytes: countBytes(path) }] : [];
    })
    .sort((a, b) => b.time - a.time);
}

/**
 * They are useless after a month, and commands can create any amount of them: older ones are removed, and then the oldest of
 * the rest, until the limit is kept. The newest stays, and so does what was added since the start of a running command: the
 * user is about to be notified of it.
 */
export function trimTaken(home: string, now: number, limits = takenLimits): void {
  const all = listTaken(home);
  const running = readJournals(home).filter(({ isLive }) => isLive);
  const since = Math.min(...running.map((journal) => journal.since));
  let bytes = 0;
  for (const [index, one] of all.entries()) {
    bytes += one.bytes;
    const isOver = bytes > limits.bytes || now - one.time > limits.days * dayMs;
    if (isOver && index > 0 && one.time < since) removeTree(setAside(one.path, home) ?? one.path);
  }
}

/** No link is followed. A directory that its creator closed is opened: nothing may hide from being counted or removed. */
function countBytes(path: string): number {
  const found = statEntry(path);
  if (!found) return 0;
  if (!found.isDirectory()) return found.blocks * 512;
  if ((found.mode & 0o700) !== 0o700) openUp(path);
  return listKnown(listNames(path)).reduce(
    (sum, name) => sum + countBytes(join(path, name)),
    found.blocks * 512,
  );
}
