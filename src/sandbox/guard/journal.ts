import { utimesSync } from 'node:fs';
import { rmSync, writeFileSync } from '../../lib/files/exact-files.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { nameByProcess } from '../../lib/files/temporary-names.ts';
import { type ProcessMark, processMark } from '../../lib/processes/mark.ts';
import type { Exposure } from '../exposure.ts';
import type { Exposed } from '../policy.ts';
import type { Identities } from './identities.ts';
import { statEntry } from './look.ts';

/**
 * Cleanup to do after a command if this process is killed before it can: one file for each running command that may write, in
 * `<home>/confined`.
 */
export interface CommandJournal {
  /** When the command started. */
  since: number;
  roots: readonly string[];
  placeholders: readonly string[];
  exposed: Exposed;
  before: Exposure;
  /** Protected paths that it could not change. */
  standing: Iterable<string>;
  /** Its mounts. */
  held: Identities;
  /** Protected paths that it could change, of which copies are kept; except those of packages. */
  copied: Identities;
}

export const journalFolder = 'confined';

/** The journal's change time shows when its process was last known to live. */
export const beatMs = 1000;

export interface OpenJournal {
  /** When it was written by the clock of the file system, which is a little behind. */
  time?: number | undefined;
  close(): void;
}

/** Not synced: a command does not survive a power failure, and its files are found or lost. */
export function openJournal(home: string, journal: CommandJournal): OpenJournal {
  const directory = join(home, journalFolder);
  const path = join(directory, `${nameByProcess()}.json`);
  if (!write(directory, path, journal)) return { close() {} };
  const beat = setInterval(() => touch(path), beatMs);
  beat.unref();
  return {
    time: statEntry(path)?.ctimeMs,
    close() {
      clearInterval(beat);
      rmSync(path, { force: true });
    },
  };
}

function write(
  directory: string,
  path: string,
  { before, standing, held, copied, ...journal }: CommandJournal,
): boolean {
  const text = JSON.stringify({
    ...{ owner: mine(), ...journal },
    ...{ before: [...before], standing: [...standing], held: [...held], copied: [...copied] },
  });
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
    return true;
  } catch {
    if (!ensurePrivateDirectory(directory).ok) return false;
  }
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
    return true;
  } catch {
    // A home that cannot be written is reported where it matters.
    return false;
  }
}

let own: ProcessMark | undefined;

/** Constant for the life of the process. */
function mine(): ProcessMark {
  own ??= processMark(process.pid);
  return own;
}

function touch(path: string): void {
  const now = Date.now() / 1000;
  try {
    utimesSync(path, now, now);
  } catch {}
}
