import { dirname } from '../../lib/files/exact-paths.ts';
import type { PathEntry, SandboxPolicy } from '../../protocol/sandbox.ts';
import { isBelow } from '../guard/look.ts';
import { isInOwnTree, privatePath } from '../temporary.ts';

/**
 * The file system of a sandboxed command, as arguments of `bwrap`: all of this machine, read-only, with its own `/dev`,
 * `/proc` and `/tmp`, and on top of it what the policy says, parents before their content. `holders` are directories in the
 * private one that something is mounted in. `hold` gives the descriptor for a place that other sandboxed commands could
 * replace before it is mounted; `processes` are the arguments for `/proc`.
 *
 * An empty file system costs less than a bind mount, so directories are hidden by one.
 */
export function mountArguments(
  { paths, links, temporary }: SandboxPolicy,
  holders: readonly string[] = [],
  hold?: (path: string) => number,
  processes: readonly string[] = processFiles,
): string[] {
  const entries = bindsFirst(
    strictest(paths).filter((entry, _, all) => entry.pinned || entry.access !== accessAround(entry, all)),
  );
  const writable = [temporary, ...entries.flatMap(({ path, access }) => (access === 'write' ? [path] : []))];
  const bind = (kind: '--bind' | '--ro-bind', from: string, to: string) =>
    hold && writable.some((one) => one !== from && isBelow(from, one))
      ? [`${kind}-fd`, String(hold(from)), to]
      : [kind, from, to];
  const made = new Set<string>();
  return [
    ...['--ro-bind', '/', '/', '--dev', '/dev', ...processes, '--bind', temporary, privatePath],
    ...holders.flatMap((path) => bind('--bind', `${temporary}${path.slice(privatePath.length)}`, path)),
    ...entries.flatMap((entry) => [...waysTo(entry.path, entries, made), ...mount(entry, bind)]),
    ...links.flatMap(({ path, target }) => [...waysTo(path, entries, made), '--symlink', target, path]),
    // Last: until then mount points are created in it.
    ...entries.flatMap(({ path, access, pinned }) =>
      access === 'none' && pinned ? ['--remount-ro', path] : [],
    ),
  ];
}

/**
 * With every bind mount `bwrap` reads the list of all mounts so far, so entries that make that list longer without such a
 * read come last: directories that are hidden as a whole.
 */
function bindsFirst(entries: readonly PathEntry[]): PathEntry[] {
  const holds = new Set<PathEntry | undefined>(entries.map(({ path }) => enclosing(path, entries)));
  const isLast = (entry: PathEntry) =>
    entry.access === 'none' && entry.isDirectory && !entry.pinned && !holds.has(entry);
  return [...entries.filter((entry) => !isLast(entry)), ...entries.filter(isLast)];
}

/**
 * Read-only as a whole. Inside, root is still root to the kernel's checks of who may write a file, and files in here act on
 * the machine: `/proc/sys/kernel/core_pattern` names a program that the kernel runs outside.
 *
 * The first process inside is hidden. It is `bwrap`'s own, ends all others when the command has ended or Cadre is gone, and
 * belongs to the same user as they do: its memory, files and root must be out of reach.
 */
export const processFiles = [
  ...['--proc', '/proc', '--remount-ro', '/proc'],
  ...['--perms', '0555', '--tmpfs', '/proc/1', '--remount-ro', '/proc/1'],
];

/**
 * As the kernel makes them, for a sandbox in which another one is made: an ordinary user's `bwrap` writes there who it is inside,
 * and gets no new `/proc` where parts of the present one are covered. The inner one has `processFiles`.
 */
export const outerProcessFiles = ['--proc', '/proc'];

type Bind = (kind: '--bind' | '--ro-bind', from: string, to: string) => string[];

function mount({ path, access, isDirectory, from = path }: PathEntry, bind: Bind): string[] {
  if (access === 'write') return bind('--bind', path, path);
  if (access === 'read') return bind('--ro-bind', from, path);
  if (isDirectory) return [...closed, '--tmpfs', path];
  // Devices cannot be opened below a bind mount, so this reads as a refusal and not as an empty file.
  return ['--ro-bind', '/dev/null', path];
}

/** Writing there fails, as it does elsewhere, instead of being lost with the command. */
const closed = ['--perms', '0555'];

/** Directories that must still be created in an empty file system for a path to be mounted there. */
function waysTo(path: string, entries: readonly PathEntry[], made: Set<string>): string[] {
  const around = enclosing(path, entries);
  if (around?.access !== 'none') return [];
  const ways: string[] = [];
  for (let up = dirname(path); up !== around.path && !made.has(up); up = dirname(up)) ways.unshift(up);
  for (const way of ways) made.add(way);
  return ways.flatMap((way) => [...closed, '--dir', way]);
}

function enclosing(path: string, entries: readonly PathEntry[]): PathEntry | undefined {
  return entries.findLast((other) => other.path !== path && isBelow(path, other.path));
}

const strictness = { write: 0, read: 1, none: 2 };

/** One entry for each path: the strictest of several. */
function strictest(paths: readonly PathEntry[]): PathEntry[] {
  const chosen = new Map<string, PathEntry>();
  for (const entry of paths) {
    const before = chosen.get(entry.path);
    const isStricter = !before || strictness[entry.access] > strictness[before.access];
    if (isStricter || (entry.pinned && entry.access === before.access)) chosen.set(entry.path, entry);
  }
  return [...chosen.values()].sort((a, b) => depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : 1));
}

function depth(path: string): number {
  return path.split('/').length;
}

/** The access at a path without its own entry. In the sandbox's own trees, and below hidden ones, nothing exists. */
function accessAround({ path }: PathEntry, entries: readonly PathEntry[]): PathEntry['access'] | 'absent' {
  const around = enclosing(path, entries);
  if (isInOwnTree(path) && !(around && isInOwnTree(around.path)))
    return around?.access === 'none' ? 'none' : 'absent';
  return around?.access ?? 'read';
}
