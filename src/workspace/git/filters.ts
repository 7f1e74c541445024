import { failure, ok, type Result } from '../../lib/result.ts';
import { decodeName } from './names.ts';

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

/** Settings of filters that git would run, with their commands. */
export type FilterCommands = ReadonlyMap<string, string>;

/**
 * Of all filters, also the user's own: as git itself reads them, the last value for each. `run` gives one character per byte.
 */
export async function listFilterCommands(run: RunGit): Promise<Result<FilterCommands>> {
  const listed = await run(['config', '--null', '--list']);
  if (!listed.ok) return listed;
  const found = new Map<string, string>();
  for (const entry of listed.value.split('\0')) {
    const [name = '', ...command] = entry.split('\n');
    if (!/^filter\..*\.(?:clean|smudge|process)$/s.test(name)) continue;
    const [key, value] = [decodeName(name), decodeName(command.join('\n'))];
    if (key === undefined || value === undefined)
      return failure('A git filter has a name or a command that is not valid UTF-8.', 'Rename or remove it.');
    found.set(key, value);
  }
  return ok(new Map([...found].filter(([, command]) => command !== '')));
}

/** None of them runs, and none that must succeed fails for it. */
export function switchOff(commands: FilterCommands): [string, string][] {
  return [...commands.keys()].flatMap((name): [string, string][] => [
    [name, ''],
    [name.replace(/[^.]*$/, 'required'), 'false'],
  ]);
}
