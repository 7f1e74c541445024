import type { PathEntry, SandboxPolicy } from '../../protocol/sandbox.ts';
import { isBelow } from './look.ts';
import { privatePath } from './temporary.ts';

/**
 * The file system of a confined command, as arguments of `bwrap`: all of this machine, read-only, with its own `/dev`,
 * `/proc` and `/tmp`, and on top of it what the policy says, parents before what is in them. `holders` are directories in
 * the private one that something is mounted in. `hold` gives the descriptor by which a place is named that other confined
 * commands could replace before it is mounted.
 */
export function mountArguments(
  { paths, temporary, empty }: SandboxPolicy,
  holders: readonly string[] = [],
  hold?: (path: string) => number,
): string[] {
  const entries = strictest(paths).filter(
    (entry, _, all) => entry.pinned || entry.access !== accessAround(entry, all),
  );
  /** Something of it is shown again, so that there must be a place to show it. */
  const isReopened = ({ path }: PathEntry) =>
    entries.some((other) => other.path !== path && isBelow(other.path, path));
  const reopened = entries.filter((entry) => entry.access === 'none' && isReopened(entry));
  const writable = [temporary, ...entries.flatMap(({ path, access }) => (access === 'write' ? [path] : []))];
  const bind = (kind: '--bind' | '--ro-bind', from: string, to: string) =>
    hold && writable.some((one) => one !== from && isBelow(from, one))
      ? [`${kind}-fd`, String(hold(from)), to]
      : [kind, from, to];
  return [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', temporary, privatePath],
    ...holders.flatMap((path) => bind('--bind', `${temporary}${path.slice(privatePath.length)}`, path)),
    ...entries.flatMap((entry) =>
      reopened.includes(entry) ? ['--tmpfs', entry.path] : mount(entry, empty, bind),
    ),
    // Last: until then mount points are made in them.
    ...reopened.flatMap(({ path }) => ['--remount-ro', path]),
  ];
}

type Bind = (kind: '--bind' | '--ro-bind', from: string, to: string) => string[];

function mount({ path, access, isDirectory }: PathEntry, empty: string, bind: Bind): string[] {
  if (access === 'write') return bind('--bind', path, path);
  if (access === 'read') return bind('--ro-bind', path, path);
  // Devices cannot be opened below a bind mount, so this reads as a refusal and not as an empty file.
  return ['--ro-bind', isDirectory ? empty : '/dev/null', path];
}

const strictness = { write: 0, read: 1, none: 2 };

/** One entry for each path: of several the strictest. */
function strictest(paths: readonly PathEntry[]): PathEntry[] {
  const chosen = new Map<string, PathEntry>();
  for (const entry of paths) {
    const before = chosen.get(entry.path);
    if (!before || strictness[entry.access] > strictness[before.access]) chosen.set(entry.path, entry);
  }
  return [...chosen.values()].sort((a, b) => depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : 1));
}

function depth(path: string): number {
  return path.split('/').length;
}

/** What holds at a path without its own entry. In the private directory, and below what is hidden, nothing is there. */
function accessAround({ path }: PathEntry, entries: readonly PathEntry[]): PathEntry['access'] | 'absent' {
  const around = entries.findLast((other) => other.path !== path && isBelow(path, other.path));
  if (isBelow(path, privatePath) && !(around && isBelow(around.path, privatePath)))
    return around?.access === 'none' ? 'none' : 'absent';
  return around?.access ?? 'read';
}
