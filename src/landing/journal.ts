import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensurePrivateDirectory, writeAtomic } from '../lib/atomic.ts';
import type { ProcessMark } from '../lib/process-mark.ts';
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
export function stagingOf({ gitDirectory, id }: Pick<Journal, 'gitDirectory' | 'id'>): string {
  return join(gitDirectory, 'cadre-landing', id);
}

export function journalPath(home: string, common: string): string {
  return join(home, 'landing', `${createHash('sha256').update(common).digest('hex').slice(0, 16)}.json`);
}

export function writeJournal(home: string, journal: Journal): Result<void> {
  const path = journalPath(home, journal.common);
  const made = ensurePrivateDirectory(dirname(path));
  return made.ok ? writeAtomic(path, `${JSON.stringify(journal)}\n`) : made;
}

export function removeJournal(home: string, common: string): void {
  rmSync(journalPath(home, common), { force: true });
}

/** Undefined where it cannot be read, such as one of another version. */
export function readJournal(path: string): Journal | undefined {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8'));
    return value?.format === 2 && typeof value.top === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** All there are, by their paths. */
export function listJournals(home: string): string[] {
  const directory = join(home, 'landing');
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .map((name) => join(directory, name));
  } catch {
    return [];
  }
}
