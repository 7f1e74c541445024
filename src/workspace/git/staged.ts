import { join } from 'node:path';
import { type GitOptions, git } from './git.ts';
import { type IndexEntry, parseIndex } from './git-index.ts';
import type { ReferenceState } from './reference-changes.ts';

/** Content that was staged before a command, is not any more, and is in no commit that the head led to. */
export interface StagedChange {
  root: string;
  /** From the top of the checkout. */
  path: string;
  /** As git writes it. */
  mode: number;
  id: string;
}

interface Side extends ReferenceState {
  commit: string | undefined;
}

/** More than these are not asked about. */
const maxAsked = 2_000;

/** The files of an index by name, without those in conflict; undefined where it cannot be read. */
export function readStaged(bytes: Buffer | undefined): ReadonlyMap<string, IndexEntry> | undefined {
  const entries = bytes && parseIndex(bytes);
  return entries && new Map(entries.flatMap((entry) => (entry.stage === 0 ? [[entry.name, entry]] : [])));
}

export function getIndexBytes({ own, essentials }: ReferenceState): Buffer | undefined {
  return essentials.get(join(own, 'index'))?.bytes;
}

export async function findUnstaged(
  root: string,
  before: Side,
  now: Side,
  place: GitOptions,
): Promise<StagedChange[]> {
  const [old, present] = [getIndexBytes(before), getIndexBytes(now)];
  if (!old || old === present || present?.equals(old)) return [];
  const after = readStaged(present) ?? new Map<string, IndexEntry>();
  const changed = [...(readStaged(old)?.values() ?? [])]
    .filter(({ name, id, mode }) => after.get(name)?.id !== id && mode !== submodule && !/[\n\0]/.test(name))
    .slice(0, maxAsked);
  const commits = [before.commit, now.commit].filter((commit) => commit !== undefined);
  const committed = await findCommitted(changed, commits, place);
  return changed
    .filter(({ name, id }) => !committed.has(`${name}\n${id}`))
    .map(({ name, id, mode }) => ({ root, path: name, mode, id }));
}

const submodule = 0o160000;

/** What the commits have at these paths. */
async function findCommitted(
  entries: readonly IndexEntry[],
  commits: readonly string[],
  place: GitOptions,
): Promise<ReadonlySet<string>> {
  const asked = commits.flatMap((commit) =>
    entries.map(({ name }) => ({ name, line: `${commit}:${name}\n` })),
  );
  if (asked.length === 0) return new Set();
  const input = asked.map(({ line }) => line).join('');
  const told = await git(['cat-file', '--batch-check=%(objectname)'], { ...place, input });
  const lines = told.ok ? told.value.split('\n') : [];
  return new Set(asked.map(({ name }, at) => `${name}\n${lines[at] ?? ''}`));
}
