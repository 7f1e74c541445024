import { createHash } from 'node:crypto';
import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensurePrivateDirectory, writeAtomic } from '../../lib/files/atomic.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { isSameProcess, type ProcessMark } from '../../lib/processes/mark.ts';
import type { Result } from '../../lib/result.ts';

/**
 * What we know of a worktree of ours. Written before the worktree is made and gone after it is, so that whatever a crash
 * leaves behind has a record. It is kept in our own directory, where confined commands cannot write: what it says
 * decides what is removed.
 */
export interface WorktreeRecord {
  format: 1;
  slug: string;
  path: string;
  branch: string;
  /** The commit that work began from; what is beyond it is work. */
  base: string;
  /** The git directory that all worktrees of the repository share. */
  common: string;
  /** The checkout that it stands below. */
  main: string;
  state: 'creating' | 'ready' | 'removing';
  session: string;
  /** Whose work is in it; null is the session's own agent. */
  agentId: string | null;
  /** How a coordinator knows that agent. */
  agentName?: string;
  /** What it is for, in a few words. */
  title?: string;
  /** The process that uses it; null when nobody does. */
  owner: ProcessMark | null;
  /** The user said that it stays, changed or not. */
  keep?: true;
  /** It holds nobody's work, whatever is in it: a place to try something in. */
  scratch?: true;
  /** What was in it when its removal began, all of which is elsewhere too, or was to go. */
  proven?: { head: string; tip: string; tree: string };
  createdAt: string;
}

export const recordFormat = 1;

export function formatBranch(slug: string): string {
  return `cadre/${slug}/work`;
}

export function recordPath(home: string, common: string, slug: string): string {
  const repository = createHash('sha256').update(common).digest('hex').slice(0, 16);
  return join(home, 'worktrees', repository, `${slug}.json`);
}

export function writeRecord(home: string, record: WorktreeRecord): Result<void> {
  const path = recordPath(home, record.common, record.slug);
  const made = ensurePrivateDirectory(dirname(path));
  return made.ok ? writeAtomic(path, `${JSON.stringify(record)}\n`) : made;
}

export function readRecord(home: string, common: string, slug: string): WorktreeRecord | undefined {
  return readAt(recordPath(home, common, slug));
}

export function dropRecord(home: string, { common, slug }: Pick<WorktreeRecord, 'common' | 'slug'>): void {
  const path = recordPath(home, common, slug);
  rmSync(path, { force: true });
  try {
    rmdirSync(dirname(path));
  } catch {
    // Others are still there.
  }
}

/** Of one repository, or of all; oldest first. */
export function listRecords(home: string, common?: string): WorktreeRecord[] {
  const directory = join(home, 'worktrees');
  const found = listNames(directory).flatMap((repository) =>
    listNames(join(directory, repository))
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .map((name) => readAt(join(directory, repository, name))),
  );
  return found
    .filter((record): record is WorktreeRecord => record !== undefined)
    .filter((record) => common === undefined || record.common === common)
    .sort((a, b) =>
      a.createdAt === b.createdAt ? (a.slug < b.slug ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1,
    );
}

export function isInUse({ owner }: Pick<WorktreeRecord, 'owner'>): boolean {
  return owner !== null && isSameProcess(owner);
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

const maxRecord = 1024 * 1024;

/** A record that cannot be read stands for nothing: nothing is removed on its word. */
function readAt(path: string): WorktreeRecord | undefined {
  try {
    const value = JSON.parse(readBoundedText(path, maxRecord, { refusesLinks: true }) ?? '');
    const texts = ['slug', 'path', 'branch', 'base', 'common', 'main', 'state', 'session', 'createdAt'];
    const isWhole = value?.format === recordFormat && texts.every((name) => typeof value[name] === 'string');
    return isWhole && value.branch === formatBranch(value.slug) ? value : undefined;
  } catch {
    return undefined;
  }
}
