import { join } from 'node:path';
import { ensurePrivateDirectory, replaceFile } from '../lib/files/atomic.ts';
import { readBoundedText } from '../lib/files/read-bounded.ts';
import type { TaskEnd, TaskView } from '../protocol/task.ts';

export interface FinishedTask {
  task: TaskView;
  end: TaskEnd;
}

const maxTaskBytes = 64 * 1024 * 1024;
const safeId = /^[a-z][A-Za-z0-9_-]{1,100}$/;

/**
 * Saves a finished task to disk, so that it need not stay in memory. False when it could not be written. Not synced: the
 * transcript has the same data, and is what is read after a crash.
 */
export function keepFinishedTask(directory: string, finished: FinishedTask): boolean {
  if (!safeId.test(finished.task.id) || !ensurePrivateDirectory(directory).ok) return false;
  try {
    const bytes = Buffer.from(JSON.stringify(finished));
    replaceFile(join(directory, `${finished.task.id}.json`), { bytes, mode: 0o600 }).close();
    return true;
  } catch {
    return false;
  }
}

export function recallFinishedTask(directory: string, id: string): FinishedTask | undefined {
  if (!safeId.test(id)) return undefined;
  try {
    return JSON.parse(readBoundedText(join(directory, `${id}.json`), maxTaskBytes) ?? '');
  } catch {
    return undefined;
  }
}
