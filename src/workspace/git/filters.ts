import { ok, type Result } from '../../lib/result.ts';

/** A filter that the repository's own configuration defines: programs that git runs on files of some names. */
export interface GitFilter {
  name: string;
  /** `clean`, `smudge`, `process` and `required`, as far as they are set. */
  settings: Record<string, string>;
}

/** Whether the user has trusted a filter of the repository around a directory. */
export type TrustsFilter = (filter: GitFilter, cwd: string) => boolean;

type RunGit = (args: readonly string[]) => Promise<Result<string>>;

/** As git itself reads it, with files that the configuration includes. */
export async function readOwnFilters(run: RunGit): Promise<Result<GitFilter[]>> {
  const listed = await run(['config', '--null', '--show-scope', '--list']);
  if (!listed.ok) return listed;
  const fields = listed.value.split('\0');
  const filters = new Map<string, GitFilter>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (fields[at] !== 'local' && fields[at] !== 'worktree') continue;
    const [whole = '', ...rest] = (fields[at + 1] ?? '').split('\n');
    const [, name = '', key = ''] = /^filter\.(.*)\.(clean|smudge|process|required)$/s.exec(whole) ?? [];
    if (key === '') continue;
    const filter = filters.get(name) ?? { name, settings: {} };
    // A name alone means yes.
    filter.settings[key] = (fields[at + 1] ?? '').includes('\n') ? rest.join('\n') : 'true';
    filters.set(name, filter);
  }
  return ok([...filters.values()]);
}

export function isRequired({ settings }: GitFilter): boolean {
  return /^(?:true|yes|on|1)$/i.test(settings.required ?? '');
}
