import { readdirSync, renameSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeFileError, ensurePrivateDirectory } from '../../lib/files/files.ts';
import { touchRegular } from '../../lib/files/open-regular.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { hashBytes } from '../../lib/hash.ts';
import { randomIds } from '../../lib/ids.ts';
import { processMark } from '../../lib/processes/mark.ts';
import type { Problem } from '../../lib/result.ts';
import { parseNote } from './note.ts';
import type { Neighbour, PacerStore } from './store.ts';

export interface FileStoreOptions {
  /** Cadre's own directory; the notes are in `pacing/` below it. */
  home: string;
  /** Wall clock. */
  now(): number;
  /** Called once: without its files the pacer knows only this process, and continues. */
  onProblem?: (problem: Problem) => void;
}

/** `pacing/<model>/<pid>-<start>-<token>.json`, renamed into place, so that the directory's own time shows changes. */
export function filePacing({ home, now, onProblem }: FileStoreOptions): PacerStore {
  const root = join(home, 'pacing');
  const token = randomIds.token(6);
  const seen = new Map<string, Look>();
  const directories = new Map<string, string>();
  let own: string | undefined;
  let hasTrouble = false;
  const trouble = (problem: Problem) => {
    if (!hasTrouble) onProblem?.(problem);
    hasTrouble = true;
  };
  const locateDirectory = (model: string) => {
    const known = directories.get(model) ?? join(root, folderName(model));
    directories.set(model, known);
    return known;
  };
  return {
    hasNews(model) {
      const last = seen.get(model);
      return last === undefined || last.isFresh || readChangeTime(locateDirectory(model)) !== last.changedAt;
    },
    read(model) {
      const directory = locateDirectory(model);
      const changed = readChangeTime(directory);
      // Two changes within a tick of the file system look like one, so a change just made may not be the last.
      seen.set(model, { changedAt: changed, isFresh: changed > now() - tickMs });
      return changed === 0 ? [] : readPeers(directory, own);
    },
    publish(model, note) {
      const directory = locateDirectory(model);
      own ??= formatFileName(token);
      const made = ensurePrivateDirectory(directory);
      if (!made.ok) return trouble(made.problem);
      const path = join(directory, own);
      try {
        writeFileSync(`${path}.tmp`, JSON.stringify(note), { mode: 0o600 });
        renameSync(`${path}.tmp`, `${path}.json`);
      } catch (error) {
        trouble(describeFileError(error, `${path}.json`, 'write'));
      }
    },
    // The modification time of an empty file is the last slot that was taken.
    takeSlot(model, now, gapMs) {
      const path = join(locateDirectory(model), 'slot');
      const slot = Math.max(now, readChangeTime(path) + gapMs);
      if (slot > now + maxAheadMs) return now;
      try {
        if (readChangeTime(path) === 0) touchRegular(path);
        utimesSync(path, slot / 1_000, slot / 1_000);
      } catch {}
      return slot;
    },
    forget: (model, peer) => removeQuietly(join(locateDirectory(model), `${peer.name}.json`)),
  };
}

/** Removes what is known of models that no process has asked since then. */
export function sweepPacing(home: string, olderThan: number): void {
  const root = join(home, 'pacing');
  for (const name of listQuietly(root)) {
    const directory = join(root, name);
    const isUsed = [directory, join(directory, 'slot')].some((path) => readChangeTime(path) >= olderThan);
    if (!isUsed) rmSync(directory, { recursive: true, force: true });
  }
}

interface Look {
  changedAt: number;
  isFresh: boolean;
}

const tickMs = 50;
/** A larger difference means that a clock jumped. */
const maxAheadMs = 60_000;

/** Zero when there is no such directory. */
function readChangeTime(directory: string): number {
  try {
    return statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}

/** Readable, and unique for every model name. */
function folderName(model: string): string {
  return `${model.replace(/[^a-zA-Z0-9.]+/g, '-').slice(0, 80)}-${hashBytes(model).slice(0, 8)}`;
}

function formatFileName(token: string): string {
  return `${process.pid}-${startName(process.pid)}-${token}`;
}

function startName(pid: number): string {
  return processMark(pid).start.replace(/\W+/g, '_');
}

const fileName = /^((\d{1,10})-(\w*)-\w+)\.(json|tmp)$/;

function readPeers(directory: string, own: string | undefined): Neighbour[] {
  return listQuietly(directory).flatMap((file) => {
    const [, name, pid, start, kind] = fileName.exec(file) ?? [];
    if (name === undefined || name === own) return [];
    const isAlive = isRunning(Number(pid), start ?? '');
    const path = join(directory, file);
    // Half a note of a process that died while it wrote.
    if (kind === 'tmp' && !isAlive) removeQuietly(path);
    if (kind === 'tmp') return [];
    const note = readNote(path);
    if (!note && !isAlive) removeQuietly(path);
    return note ? [{ name, isAlive, note }] : [];
  });
}

function isRunning(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return start !== '' && startName(pid) === start;
}

const maxNote = 4_096;

function readNote(path: string): ReturnType<typeof parseNote> {
  const text = readBoundedText(path, maxNote);
  return text === undefined ? undefined : parseNote(text);
}

function listQuietly(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {}
}
