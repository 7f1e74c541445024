import { ok, type Result } from '../../lib/result.ts';
import type { Git } from './repository.ts';

/** What a checkout holds beside what is committed. */
export interface Status {
  /** The commit; empty where there is none yet. */
  head: string;
  /** The branch that is checked out; empty where none is. */
  on: string;
  /** Paths with conflicts that were not resolved. */
  unmerged: string[];
  /** Paths that are staged with other content than the file has, if it is there at all. */
  stagedOnly: string[];
  /** What is in the index and no file any more. */
  missing: string[];
  /** With a slash at the end where it is a repository. */
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
    // A submodule holds all its commits, whichever of them is staged.
    stagedOnly: tracked
      .filter(({ staged, changed, kind }) => /[MAT]/.test(staged) && changed !== '.' && kind !== 'S')
      .map(({ path }) => path),
    missing: tracked.filter(({ changed }) => /[DT]/.test(changed)).map(({ path }) => path),
    untracked: entries.filter((line) => line.startsWith('? ')).map((line) => line.slice(2)),
    isClean: entries.length === 0,
  });
}
