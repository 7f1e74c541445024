import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensurePrivateDirectory, writeAtomic } from '../../lib/files/atomic.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { hashBytes } from '../../lib/hash.ts';
import { isSameProcess, type ProcessMark, processMark } from '../../lib/processes/mark.ts';
import type { Result } from '../../lib/result.ts';
import { landingName } from '../../workspace/git/directory.ts';
import type { BytePath } from './byte-path.ts';
import type { Side } from './changes.ts';

/**
 * The changes being made to a user's checkout, written before they begin: after an interruption the next start finds here
 * what to finish or undo. Removed only once the checkout is known to be complete.
 */
export interface Journal {
  format: 3;
  id: string;
  /** The checkout, its own git directory, and the git directory that all checkouts share. */
  top: string;
  gitDirectory: string;
  common: string;
  branch: string;
  from: string;
  to: string;
  owner: ProcessMark;
  /** Marks the git processes started for it. */
  mark: string;
  /** `preparing`: no file of the user has been touched. */
  phase: 'preparing' | 'placing';
  /** The index before the change. */
  index?: string;
  files: JournalFile[];
}

/** A file to be moved, with its identity. */
export interface JournalFile {
  path: BytePath;
  old?: Side & { identity: string };
  new?: Side & { identity: string };
  /** A directory on the file's own file system, where that differs from the git directory's. */
  beside?: BytePath;
}

/**
 * The directory where new files wait and old ones are kept until the change is complete. In the shared git directory, since
 * commands in a worktree can write in its own.
 */
export function locateStaging({ common, id }: Pick<Journal, 'common' | 'id'>): string {
  return join(common, landingName, id);
}

export function journalPath(home: string, common: string): string {
  return join(home, 'landing', `${hashBytes(common).slice(0, 16)}.json`);
}

export function writeJournal(home: string, journal: Journal): Result<void> {
  const path = journalPath(home, journal.common);
  const { pid, start } = processMark(process.pid);
  const made = ensurePrivateDirectory(dirname(path));
  const text = `${JSON.stringify(journal)}\n`;
  return made.ok ? writeAtomic(path, text, 0o600, `${pid}.${encodeURIComponent(start)}.tmp`) : made;
}

/** Journals that were being written when their process was killed: nothing had begun. */
export function removeUnwritten(home: string): void {
  for (const name of listNames(join(home, 'landing'))) {
    const [, pid, start] = /\.json\.(\d+)\.(.*)\.tmp$/.exec(name) ?? [];
    if (pid === undefined || start === undefined) continue;
    if (isSameProcess({ pid: Number(pid), start: decodeURIComponent(start) })) continue;
    rmSync(join(home, 'landing', name), { force: true });
  }
}

export function removeJournal(home: string, common: string): void {
  rmSync(journalPath(home, common), { force: true });
}

/** Undefined where it cannot be read, for example one from another version. */
export function readJournal(path: string): Journal | undefined {
  try {
    const value = JSON.parse(readBoundedText(path, maxJournal) ?? '');
    return value?.format === 3 && typeof value.top === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Far more than the names of all files of a large checkout. */
const maxJournal = 512 * 1024 * 1024;

/** Landings of processes that are gone, which the next one finishes or takes back. */
export function findCutOff(home: string): Pick<Journal, 'top' | 'branch' | 'common'>[] {
  return listJournals(home).flatMap((path) => {
    const journal = readJournal(path);
    return journal && !isSameProcess(journal.owner) ? [journal] : [];
  });
}

/** The paths of all journals. */
export function listJournals(home: string): string[] {
  return listNames(join(home, 'landing'))
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .map((name) => join(home, 'landing', name));
}
