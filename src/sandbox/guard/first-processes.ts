import { z } from 'zod';
import { rmSync, writeFileSync } from '../../lib/files/exact-files.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { isOfDead, nameByProcess } from '../../lib/files/temporary-names.ts';
import { bootId, isSameProcess, type ProcessMark, processMark } from '../../lib/processes/mark.ts';
import { signalQuietly } from '../../lib/processes/process.ts';
import { listKnown } from '../../lib/told.ts';
import { journalFolder } from './journal.ts';
import { listNames, statEntry } from './look.ts';

const ending = '.process';
const markSchema = z.object({ pid: z.number().int().min(2), start: z.string().min(1) });
const noteSchema = z.object({ boot: z.string(), owner: markSchema, first: markSchema });

/**
 * Records the first process of a command's namespace, with which all others in it end, until the command has ended. It ends
 * with Cadre; if it does not, the next start ends it. Returns the function that removes the record.
 */
export function noteFirstProcess(home: string, first: ProcessMark): () => void {
  const directory = join(home, journalFolder);
  const path = join(directory, `${nameByProcess()}${ending}`);
  const text = JSON.stringify({ ...own(), first });
  const write = () => writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  try {
    write();
  } catch {
    // A home that cannot be written is reported where it matters.
    if (!ensurePrivateDirectory(directory).ok) return () => {};
    try {
      write();
    } catch {
      return () => {};
    }
  }
  return () => rmSync(path, { force: true });
}

/**
 * Ends processes left in the namespaces of commands whose Cadre was killed, and waits for their end. Returns the processes of
 * Cadre that were outlived: their commands kept working after them.
 */
export function endLeftProcesses(home: string): ProcessMark[] {
  const directory = join(home, journalFolder);
  const outlived: ProcessMark[] = [];
  for (const name of listKnown(listNames(directory)).filter((one) => one.endsWith(ending))) {
    const path = join(directory, name);
    const note = readNote(path);
    if (!note && isFresh(path) && !isOfDead(path)) continue;
    if (note && note.boot === own().boot) {
      if (isSameProcess(note.owner)) continue;
      if (isSameProcess(note.first)) outlived.push(note.owner);
      if (!endForGood(note.first)) continue;
    }
    rmSync(path, { force: true });
  }
  return outlived;
}

/** Another process may be writing it at this moment. */
function isFresh(path: string): boolean {
  return Date.now() - (statEntry(path)?.mtimeMs ?? 0) < maxWriteMs;
}

const maxWriteMs = 60_000;

/** A namespace takes a moment to end; there is no point in waiting longer for the kernel. */
const [looks, pauseMs] = [200, 10];

function endForGood(mark: ProcessMark): boolean {
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (let look = 0; look < looks; look++) {
    if (!isSameProcess(mark)) return true;
    signalQuietly(mark.pid, 'SIGKILL');
    Atomics.wait(never, 0, 0, look === 0 ? 1 : pauseMs);
  }
  return false;
}

/** Undefined for one that was being written when its process was killed: then the command never ran. */
function readNote(path: string): z.infer<typeof noteSchema> | undefined {
  try {
    return noteSchema.parse(JSON.parse(readBoundedText(path, maxNote, { refusesLinks: true }) ?? ''));
  } catch {
    return undefined;
  }
}

const maxNote = 4096;

let known: { boot: string; owner: ProcessMark } | undefined;

/** Process marks are unique within one boot of the machine only. */
function own(): { boot: string; owner: ProcessMark } {
  known ??= { boot: bootId(), owner: processMark(process.pid) };
  return known;
}
