import { lstatSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeFileError } from '../lib/files/files.ts';
import type { Problem } from '../lib/result.ts';
import { isSessionId, type Layout } from './layout.ts';
import { listEntriesQuietly, projectDirectories } from './transcript-files.ts';

export interface RetentionOptions {
  olderThanDays: number;
  /** Milliseconds since 1970. */
  now: number;
  /** Whether a session, known by its directory, is in use by anybody. */
  isInUse(directory: string): boolean;
}

export interface RetentionResult {
  sessions: number;
  /** Directories of outputs and kept files. */
  directories: number;
  problems: Problem[];
}

/**
 * Removes sessions that nothing was added to for so many days, with all that is beside them. Only what bears a
 * session's name and belongs to this user is touched, and no link is followed.
 */
export function sweepSessions(layout: Layout, options: RetentionOptions): RetentionResult {
  const swept: RetentionResult = { sessions: 0, directories: 0, problems: [] };
  const before = options.now - options.olderThanDays * 24 * 60 * 60 * 1000;
  for (const project of projectDirectories(layout)) {
    for (const id of listSessionIds(project)) {
      const isOld = lastUsed(project, id) < before;
      if (isOld && !options.isInUse(join(project, id))) removeSession(project, id, swept);
    }
    removeIfEmpty(project);
  }
  return swept;
}

/** From transcripts and from directories whose transcript is gone. */
function listSessionIds(project: string): Set<string> {
  const names = listEntriesQuietly(project).map((entry) => entry.name.replace(/\.jsonl$/, ''));
  return new Set(names.filter(isSessionId));
}

/** Never, for what is not a plain file or directory of ours: it is left alone. */
function lastUsed(project: string, id: string): number {
  const times = [`${id}.jsonl`, id].flatMap((name) => {
    const found = lstatSync(join(project, name), { throwIfNoEntry: false });
    if (!found) return [];
    const expected = name === id ? found.isDirectory() : found.isFile();
    const ours = process.getuid === undefined || found.uid === process.getuid();
    return [expected && ours ? found.mtimeMs : Number.POSITIVE_INFINITY];
  });
  return Math.max(...times);
}

/** The directory goes first: what a broken-off removal leaves is still a session to be swept. */
function removeSession(project: string, id: string, swept: RetentionResult): void {
  const directory = join(project, id);
  const transcript = `${directory}.jsonl`;
  try {
    const hadDirectory = lstatSync(directory, { throwIfNoEntry: false }) !== undefined;
    const hadTranscript = lstatSync(transcript, { throwIfNoEntry: false }) !== undefined;
    rmSync(directory, { recursive: true, force: true });
    rmSync(transcript, { force: true });
    swept.directories += hadDirectory ? 1 : 0;
    swept.sessions += hadTranscript ? 1 : 0;
  } catch (error) {
    swept.problems.push(describeFileError(error, transcript, 'remove'));
  }
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {}
}
