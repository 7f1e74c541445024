import { rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensurePrivateDirectory, writeAtomic } from '../../lib/files/atomic.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { hashBytes } from '../../lib/hash.ts';
import type { ProcessMark } from '../../lib/processes/mark.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { WorktreeWorld } from './repository.ts';

/**
 * Our record of one of our worktrees. Written before the worktree is made and removed after it, so that everything a crash
 * leaves behind has a record. It is kept in our own directory, where sandboxed commands cannot write, because it decides what
 * is removed.
 */
export interface WorktreeRecord {
  format: 1;
  slug: string;
  path: string;
  branch: string;
  /** The commit that work began from; everything beyond it is work. */
  base: string;
  /** The base has changes of the user that were not committed, which are on no branch. */
  carries?: true | undefined;
  /** The git directory that all worktrees of the repository share. */
  common: string;
  /** The checkout it is below. */
  main: string;
  /** By path: commits that submodules began with and that no branch of a remote led to. Not work of this worktree. */
  submodules?: Readonly<Record<string, readonly string[]>> | undefined;
  /** What of it has landed although it stays: all of it as one commit, on top of its HEAD then; and the branch's commit with it. */
  landed?: LandedPart | undefined;
  /** The same, written before the branch is moved: after a crash it holds if the branch has the commit. */
  landing?: LandedPart | undefined;
  /** Other checkouts that its content came from, where it was not made from the main one. */
  starts?: readonly string[];
  state: 'creating' | 'ready' | 'removing';
  session: string;
  /** The agent whose work is in it; null is the session's own agent. */
  agentId: string | null;
  /** The coordinator's name for that agent. */
  agentName?: string;
  /** Its purpose, in a few words. */
  title?: string;
  /** Where the work stands and what it is held to, below its top, where its session was started below that of another checkout. */
  stands?: string | undefined;
  workspace?: string | undefined;
  /** The process that uses it, for as long as it has the session (`in-use.ts`); null when none does. */
  owner: ProcessMark | null;
  /** The user wants to keep it, changed or not. */
  keep?: true;
  /** It contains no work, whatever is in it: a place for trials. */
  scratch?: true;
  /** The name of the worktree whose content it was made of, to try it. */
  copyOf?: string;
  /** Its content when its removal began, all of which is also elsewhere, or was to be removed. */
  proven?: { head: string; tip: string; tree: string };
  createdAt: string;
  /** Among those of its session that were made at the same moment, by the start of their agents. */
  ordinal?: number;
}

export interface LandedPart {
  head: string;
  tip: string;
  commit: string;
}

type Standing = Pick<WorktreeRecord, 'path' | 'stands' | 'workspace'>;

export function locateStand({ path, stands = '' }: Standing): string {
  return join(path, stands);
}

/** The part of it that its session works in. */
export function locateWorkspace({ path, workspace = '' }: Standing): string {
  return join(path, workspace);
}

export const recordFormat = 1;

export function formatBranch(slug: string): string {
  return `cadre/${slug}/work`;
}

export function recordPath(home: string, common: string, slug: string): string {
  const repository = hashBytes(common).slice(0, 16);
  return join(home, 'worktrees', repository, `${slug}.json`);
}

export function writeRecord(
  world: Pick<WorktreeWorld, 'home' | 'check'>,
  record: WorktreeRecord,
): Result<void> {
  const allowed = world.check?.() ?? ok(undefined);
  if (!allowed.ok) return allowed;
  const path = recordPath(world.home, record.common, record.slug);
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
    // It still contains others.
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
    .sort(compareStarts);
}

function compareStarts(a: WorktreeRecord, b: WorktreeRecord): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  const order = (a.ordinal ?? 0) - (b.ordinal ?? 0);
  return order === 0 ? (a.slug < b.slug ? -1 : 1) : order;
}

const maxRecord = 1024 * 1024;

/** A record that cannot be read is ignored: nothing is removed because of it. */
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
