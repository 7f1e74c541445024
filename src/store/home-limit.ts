import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { statEntry } from '../lib/files/entry-at.ts';
import type { Layout } from './layout.ts';
import { lastUsed, listSessionIds, removeSession } from './retention.ts';
import { listEntriesQuietly, projectDirectories } from './transcript-files.ts';

export interface HomeLimit {
  maxBytes: number;
  /** Whether a session, given by its directory, must stay: a process has it open, or its work is not landed yet. */
  isHeld(directory: string): boolean;
  /** Milliseconds since 1970. */
  now: number;
}

/** What was removed to keep the limit. */
export interface RemovedForSpace {
  sessions: number;
  /** Months of the audit log. */
  months: number;
  bytes: number;
  /** Still above it: the rest is held, or is the user's own. */
  isOver: boolean;
}

/**
 * Keeps our own directory below a size. Removed first is what is made again where it is needed (caches, search programs of other versions), then whole
 * sessions, the longest unused first, then past months of the audit log. Settings, keys, trust, memory, plans, providers and
 * definitions are never removed.
 */
export function keepHomeLimit(layout: Layout, limit: HomeLimit): RemovedForSpace {
  const removed: RemovedForSpace = { sessions: 0, months: 0, bytes: 0, isOver: false };
  let size = measureTree(layout.home);
  const removeUntilFits = (candidates: Iterable<Candidate>) => {
    for (const { bytes, remove } of candidates) {
      if (size <= limit.maxBytes) return;
      remove();
      size -= bytes;
      removed.bytes += bytes;
    }
  };
  removeUntilFits(listRenewable(layout.home));
  removeUntilFits(listSessions(layout, limit, removed));
  removeUntilFits(listPastMonths(layout.home, limit.now, removed));
  removed.isOver = size > limit.maxBytes;
  return removed;
}

interface Candidate {
  bytes: number;
  remove(): void;
}

/**
 * Bytes on the disk. No link is followed; a file with other names stays there when this one is removed. What waits to be
 * removed may be too deep for the names of the system, and counts as far as they reach.
 */
export function measureTree(top: string): number {
  let sum = 0;
  const waiting = [top];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const found = statEntry(path);
    if (!found) continue;
    if (found.isDirectory() || found.nlink === 1) sum += found.blocks * 512;
    if (found.isDirectory()) for (const { name } of listEntriesQuietly(path)) waiting.push(join(path, name));
  }
  return sum;
}

/** Content that is made again where it is needed. The newest search program stays: the next search would make it again. */
function listRenewable(home: string): Candidate[] {
  const list = (folder: string) =>
    listEntriesQuietly(join(home, folder)).map(({ name }) => join(home, folder, name));
  const programs = list('bin').sort((one, other) => readTime(other) - readTime(one));
  return [...list('cache'), ...programs.slice(1)].map((path) => ({
    bytes: measureTree(path),
    remove: () => rmSync(path, { recursive: true, force: true }),
  }));
}

function readTime(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function* listSessions(layout: Layout, { isHeld }: HomeLimit, removed: RemovedForSpace): Iterable<Candidate> {
  const all = projectDirectories(layout).flatMap((project) =>
    [...listSessionIds(project)].map((id) => ({ project, id, used: lastUsed(project, id) })),
  );
  const swept = { sessions: 0, directories: 0, problems: [] };
  for (const { project, id } of all.filter(({ used }) => used < Infinity).sort((a, b) => a.used - b.used)) {
    const directory = join(project, id);
    if (isHeld(directory)) continue;
    yield {
      bytes: measureTree(directory) + measureTree(`${directory}.jsonl`),
      remove() {
        removeSession(layout, project, id, swept);
        removed.sessions++;
      },
    };
  }
}

/** Oldest first. The present month stays. */
function* listPastMonths(home: string, now: number, removed: RemovedForSpace): Iterable<Candidate> {
  const present = `${new Date(now).toISOString().slice(0, 7)}.jsonl`;
  const names = listEntriesQuietly(join(home, 'audit')).map(({ name }) => name);
  for (const name of names.filter((one) => /^\d{4}-\d\d\.jsonl$/.test(one) && one < present).sort()) {
    const path = join(home, 'audit', name);
    yield {
      bytes: measureTree(path),
      remove() {
        rmSync(path, { force: true });
        removed.months++;
      },
    };
  }
}
