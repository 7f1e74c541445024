import { ok, type Result } from '../../lib/result.ts';
import type { Git } from './repository.ts';

/** Uncommitted content of a checkout. */
export interface Status {
  /** The commit; empty where there is none yet. */
  head: string;
  /** The branch that is checked out; empty where none is. */
  on: string;
  /** Paths with unresolved conflicts. */
  unmerged: string[];
  /** Paths whose staged content differs from the file, or whose file is missing. */
  stagedOnly: string[];
  /** Paths in the index without a file. */
  missing: string[];
  /** With a trailing slash where it is a repository. */
  untracked: string[];
  isClean: boolean;
}

export async function readStatus(git: Git, indexFile: string): Promise<Result<Status>> {
  const args = ['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--untracked-files=all'];
  const listed = await git(args, { indexFile });
  if (!listed.ok) return listed;
  const lines = listed.value.split('\0').filter((line) => line !== '');
  const entries = lines.filter((line) => !line.startsWith('# '));
  const header = (name: string) =>
    lines.find((line) => line.startsWith(`# branch.${name} `))?.slice(`# branch.${name} `.length) ?? '';
  const tracked = entries.flatMap((line) => {
    const fields = /^1 (.)(.) (.)... (?:\S+ ){5}/.exec(line);
    const [whole = '', staged = '', changed = '', kind = ''] = fields ?? [];
    return fields ? [{ staged, changed, kind, path: line.slice(whole.length) }] : [];
  });
  const head = header('oid');
  const on = header('head');
  return ok({
    head: head.startsWith('(') ? '' : head,
    on: on === '(detached)' ? '' : on,
    unmerged: entries.flatMap((line) => {
      const fields = /^u .. \S+ (?:\S+ ){7}/.exec(line);
      return fields ? [line.slice(fields[0].length)] : [];
    }),
    // A submodule has all its commits, whichever of them is staged.
    stagedOnly: tracked
      .filter(({ staged, changed, kind }) => /[MAT]/.test(staged) && changed !== '.' && kind !== 'S')
      .map(({ path }) => path),
    missing: tracked.filter(({ changed }) => /[DT]/.test(changed)).map(({ path }) => path),
    untracked: entries.filter((line) => line.startsWith('? ')).map((line) => line.slice(2)),
    isClean: entries.length === 0,
  });
}
