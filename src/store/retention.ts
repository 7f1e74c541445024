import { lstatSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeFileError } from '../lib/files/files.ts';
import type { Problem } from '../lib/result.ts';
import { isSessionId, type Layout, locateAnchors } from './layout.ts';
import { listEntriesQuietly, projectDirectories } from './transcript-files.ts';

export interface RetentionOptions {
  olderThanDays: number;
  /** Milliseconds since 1970. */
  now: number;
  /** Whether a session, given by its directory, is in use by any process. */
  isInUse(directory: string): boolean;
}

export interface RetentionResult {
  sessions: number;
  /** Directories of outputs and kept files. */
  directories: number;
  problems: Problem[];
}

/**
 * Removes sessions unchanged for this many days, with everything beside them. Only entries with a session's name that belong
 * to this user are touched, and no link is followed.
 */
export function sweepSessions(layout: Layout, options: RetentionOptions): RetentionResult {
  const swept: RetentionResult = { sessions: 0, directories: 0, problems: [] };
  const before = options.now - options.olderThanDays * 24 * 60 * 60 * 1000;
  for (const project of projectDirectories(layout)) {
    for (const id of listSessionIds(project)) {
      const isOld = lastUsed(project, id) < before;
      if (isOld && !options.isInUse(join(project, id))) removeSession(layout, project, id, swept);
    }
    removeIfEmpty(project);
  }
  return swept;
}

/** From transcripts and from directories whose transcript is missing. */
export function listSessionIds(project: string): Set<string> {
  const names = listEntriesQuietly(project).map((entry) => entry.name.replace(/\.jsonl$/, ''));
  return new Set(names.filter(isSessionId));
}

/** Never, for anything but our own plain files and directories: it is left alone. */
export function lastUsed(project: string, id: string): number {
  const times = [`${id}.jsonl`, id].flatMap((name) => {
    const found = lstatSync(join(project, name), { throwIfNoEntry: false });
    if (!found) return [];
    const expected = name === id ? found.isDirectory() : found.isFile();
    const ours = process.getuid === undefined || found.uid === process.getuid();
    return [expected && ours ? found.mtimeMs : Number.POSITIVE_INFINITY];
  });
  return Math.max(...times);
}

/** The directory goes first, so that an interrupted removal still leaves a session to sweep. */
export function removeSession(
  { home }: Pick<Layout, 'home'>,
  project: string,
  id: string,
  swept: RetentionResult,
): void {
  const directory = join(project, id);
  const transcript = `${directory}.jsonl`;
  try {
    const hadDirectory = lstatSync(directory, { throwIfNoEntry: false }) !== undefined;
    const hadTranscript = lstatSync(transcript, { throwIfNoEntry: false }) !== undefined;
    rmSync(directory, { recursive: true, force: true });
    rmSync(transcript, { force: true });
    rmSync(locateAnchors(home, id), { force: true });
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
