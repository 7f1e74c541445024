import { lstatSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findLeftSockets } from '../door/socket-place.ts';
import { clearDeadLock, isDeadLock } from '../lib/files/file-lock.ts';
import { listNames } from '../lib/files/list-names.ts';
import { removeTree } from '../lib/files/remove-tree.ts';
import { isOfDead } from '../lib/files/temporary-names.ts';
import { readJsonlTail } from '../lib/jsonl/jsonl.ts';
import { journalFolder } from '../sandbox/guard/journal.ts';
import type { Layout } from '../store/layout.ts';
import { projectDirectories } from '../store/transcript-files.ts';
import { clearDeadDirectories } from '../workspace/own-directory.ts';
import { findDead, findSessionOwner } from './owner.ts';

type Places = Pick<Layout, 'home' | 'projects'>;

/**
 * Files that processes made for a moment and left because they were killed: temporary files of atomic writes (also beside the
 * user's files that a dead session was editing), pipes, locks, replays and self-tests. Not among them are kinds with their own
 * sweep: sandboxes, worktrees, landings, confined commands. Call it before the claims of dead sessions are cleared. Changes
 * nothing.
 */
export function findLeftFiles(layout: Layout, everywhere = false): string[] {
  const found = [...findInHome(layout.home), ...findOfDeadSessions(layout), ...findSockets(layout)];
  return everywhere ? [...new Set([...found, ...findOfAllSessions(layout)])] : found;
}

/** Removes them; returns those that could not be removed. */
export function sweepLeftFiles(layout: Layout, everywhere = false): string[] {
  clearDeadDirectories(layout.home);
  return findLeftFiles(layout, everywhere).filter((path) => !remove(path));
}

/** Too many to look at in every start: of sessions that ended as they should, only a fault of the disk leaves anything. */
function findOfAllSessions(layout: Layout): string[] {
  return projectDirectories(layout).flatMap((project) =>
    listNames(project).flatMap((name) => {
      const own = join(project, name);
      return [own, ...listNames(own).map((inside) => join(own, inside))].flatMap(findMarked);
    }),
  );
}

/** Folders of our own directory that are small and flat. Those of sessions are looked at when their process is dead. */
const folders = [
  '',
  'running',
  'pipes',
  'cache',
  'landing',
  'mcp-tools',
  'audit',
  'plans',
  'bin',
  'providers',
  'looks',
];
/** The same, with a folder in between. */
const deepFolders = ['worktrees', 'pacing', 'dreams', 'agent-memory'];

function findInHome(home: string): string[] {
  const deep = deepFolders.flatMap((folder) =>
    listNames(join(home, folder)).map((name) => join(home, folder, name)),
  );
  const confined = join(home, journalFolder);
  return [
    ...[...folders.map((folder) => join(home, folder)), ...deep].flatMap(findMarked),
    ...findLocks(home),
    ...pick(join(home, replaysFolder), (name) => isLeftReplay(join(home, replaysFolder, name))),
    // A start claimed them and was killed before it removed them.
    ...pick(confined, (name) => name.endsWith('.dead')),
  ];
}

const replaysFolder = 'replays';
const maxOpeningMs = 10 * 60_000;

/** A replay has a directory for its own state, with the claim of its process in it. */
function isLeftReplay(directory: string): boolean {
  const claims = listNames(join(directory, 'running'));
  if (claims.length > 0) return findDead(directory).length > 0;
  const made = lstatSync(directory, { throwIfNoEntry: false })?.mtimeMs;
  return made !== undefined && Date.now() - made > maxOpeningMs;
}

function findMarked(directory: string): string[] {
  return pick(directory, (name) => isOfDead(join(directory, name)));
}

function findLocks(directory: string): string[] {
  return pick(directory, (name) => name.endsWith('.lock') && isDeadLock(join(directory, name)));
}

function pick(directory: string, isWanted: (name: string) => boolean): string[] {
  return listNames(directory)
    .filter(isWanted)
    .map((name) => join(directory, name));
}

/** Of sessions that were open when their process was killed; also the files in which shells note their directory. */
function findOfDeadSessions(layout: Layout): string[] {
  const dead = findDead(layout.home);
  if (dead.length === 0) return [];
  return projectDirectories(layout).flatMap((project) =>
    dead.flatMap((sessionId) => {
      const own = join(project, sessionId);
      const inside = listNames(own).map((name) => join(own, name));
      const written = findWritten(`${own}.jsonl`).flatMap(findMarked);
      const directories = pick(join(own, 'tool-results'), (name) => /^(?:\w+-)*bash-.*\.cwd$/.test(name));
      return [...[own, ...inside].flatMap(findMarked), ...directories, ...written];
    }),
  );
}

const maxRecords = 500;
const maxBytes = 4 * 1024 * 1024;

/** The directories of the files that a session changed last: what it replaces is noted before it is. */
function findWritten(transcript: string): string[] {
  const read = readJsonlTail(transcript, maxRecords, maxBytes);
  if (!read.ok) return [];
  const paths = read.value.records.flatMap(({ type, path }) =>
    type === 'file-history' && typeof path === 'string' ? [dirname(path)] : [],
  );
  return [...new Set(paths)];
}

function findSockets({ home }: Places): string[] {
  return findLeftSockets(home, isOpen(home));
}

/** Whether that process has the session open. */
export function isOpen(home: string): (sessionId: string, pid: number) => boolean {
  return (sessionId, pid) => findSessionOwner(home, sessionId)?.pid === pid;
}

/** Files are unlinked, whatever they lead to; of directories there are only our own. */
function remove(path: string): boolean {
  // Another process may have taken the lock meanwhile.
  if (path.endsWith('.lock')) {
    clearDeadLock(path);
    return true;
  }
  try {
    unlinkSync(path);
    return true;
  } catch {
    return isOwnDirectory(path) && removeTree(path);
  }
}

function isOwnDirectory(path: string): boolean {
  return basename(dirname(path)) === replaysFolder || basename(path).startsWith('self-test-');
}
