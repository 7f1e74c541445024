import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensurePrivateDirectory, writeAtomic } from '../lib/files/atomic.ts';
import { readBoundedText } from '../lib/files/read-bounded.ts';
import { isSameProcess, type ProcessMark, processMark } from '../lib/processes/mark.ts';
import type { Result } from '../lib/result.ts';
import type { BytePath } from './byte-path.ts';
import type { Side } from './changes.ts';

/**
 * What is being done to a checkout of the user's, written before it is begun: whatever cuts it off, the next start finds
 * here what to finish or to undo. It goes only once the checkout is known to be whole.
 */
export interface Journal {
  format: 2;
  id: string;
  /** The checkout, its own git directory, and the one that all checkouts share. */
  top: string;
  gitDirectory: string;
  common: string;
  branch: string;
  from: string;
  to: string;
  owner: ProcessMark;
  /** The mark of the git processes that were started for it. */
  mark: string;
  /** `preparing`: nothing of the user's was touched. */
  phase: 'preparing' | 'placing';
  /** The index as it was. */
  index?: string;
  files: JournalFile[];
}

/** A file on its way, with what tells it from others. */
export interface JournalFile {
  path: BytePath;
  old?: Side & { identity: string };
  new?: Side & { identity: string };
  /** A directory on the file's own file system, where that is not the one of the git directory. */
  beside?: BytePath;
}

/** Where the new files wait, and the old ones are kept until all is well. */
export function locateStaging({ gitDirectory, id }: Pick<Journal, 'gitDirectory' | 'id'>): string {
  return join(gitDirectory, 'cadre-landing', id);
}

export function journalPath(home: string, common: string): string {
  return join(home, 'landing', `${createHash('sha256').update(common).digest('hex').slice(0, 16)}.json`);
}

export function writeJournal(home: string, journal: Journal): Result<void> {
  const path = journalPath(home, journal.common);
  const { pid, start } = processMark(process.pid);
  const made = ensurePrivateDirectory(dirname(path));
  const text = `${JSON.stringify(journal)}\n`;
  return made.ok ? writeAtomic(path, text, 0o600, `${pid}.${encodeURIComponent(start)}.tmp`) : made;
}

/** Journals that somebody was writing when they were killed: nothing had been begun. */
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

/** Undefined where it cannot be read, such as one of another version. */
export function readJournal(path: string): Journal | undefined {
  try {
    const value = JSON.parse(readBoundedText(path, maxJournal) ?? '');
    return value?.format === 2 && typeof value.top === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Far more than the names of all files of a large checkout. */
const maxJournal = 512 * 1024 * 1024;

/** All there are, by their paths. */
export function listJournals(home: string): string[] {
  return listNames(join(home, 'landing'))
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .map((name) => join(home, 'landing', name));
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
