import { failure, ok, type Result } from '../../lib/result.ts';
import { decodeName } from './names.ts';

/** A filter that the repository's own configuration defines: programs that git runs on files of some names. */
export interface GitFilter {
  name: string;
  /** `clean`, `smudge`, `process` and `required`, as far as they are set. */
  settings: Record<string, string>;
  /** It is in effect only where the condition of an `includeIf` holds, or differs there. */
  isConditional?: true;
}

/** Whether the user has trusted a filter of the repository around a directory. */
export type TrustsFilter = (filter: GitFilter, cwd: string) => boolean;

type RunGit = (args: readonly string[]) => Promise<Result<string>>;

/** A setting as git itself reads it, with files that the configuration includes. */
export interface ListedSetting {
  name: string;
  value: string;
  /** Whether the repository itself makes it. */
  isOwn: boolean;
}

/** In git's order: of several values the last applies. */
export async function listSettings(run: RunGit): Promise<Result<ListedSetting[]>> {
  const listed = await run(['config', '--null', '--show-scope', '--list']);
  if (!listed.ok) return listed;
  const fields = listed.value.split('\0');
  const settings: ListedSetting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = '', ...rest] = (fields[at + 1] ?? '').split('\n');
    // A name alone means yes.
    const value = (fields[at + 1] ?? '').includes('\n') ? rest.join('\n') : 'true';
    settings.push({ name, value, isOwn: fields[at] === 'local' || fields[at] === 'worktree' });
  }
  return ok(settings);
}

/** Those in effect where git runs, and those that would be if all conditions held. `every`: see `readEverySetting`. */
export async function readOwnFilters(
  run: RunGit,
  every: Result<ListedSetting[]>,
): Promise<Result<GitFilter[]>> {
  const listed = await listSettings(run);
  if (!listed.ok) return listed;
  if (!every.ok) return every;
  const decoded = decodeFilters(every.value);
  if (!decoded.ok) return decoded;
  const here = pickOwnFilters(listed.value);
  const isHere = (one: GitFilter) => here.some((other) => isSameFilter(one, other));
  const elsewhere = pickOwnFilters(decoded.value).filter((one) => !isHere(one));
  return ok([...here, ...elsewhere.map((one) => ({ ...one, isConditional: true as const }))]);
}

function isSameFilter(one: GitFilter, other: GitFilter): boolean {
  const keys = new Set([...Object.keys(one.settings), ...Object.keys(other.settings)]);
  return one.name === other.name && [...keys].every((key) => one.settings[key] === other.settings[key]);
}

export function pickOwnFilters(listed: readonly ListedSetting[]): GitFilter[] {
  const filters = new Map<string, GitFilter>();
  for (const { name: whole, value } of listed.filter(({ isOwn }) => isOwn)) {
    const [, name = '', key = ''] = /^filter\.(.*)\.(clean|smudge|process|required)$/s.exec(whole) ?? [];
    if (key === '') continue;
    const filter = filters.get(name) ?? { name, settings: {} };
    filter.settings[key] = value;
    filters.set(name, filter);
  }
  return [...filters.values()];
}

export function isRequired({ settings }: GitFilter): boolean {
  return /^(?:true|yes|on|1)$/i.test(settings.required ?? '');
}

/** The commands of filters that git would run, by the names of their settings. */
export type FilterCommands = ReadonlyMap<string, string>;

/** The user's own, and those of the repository that are kept. */
export function pickFilterCommands(listed: readonly ListedSetting[], kept: FilterCommands): FilterCommands {
  const found = new Map<string, string>();
  const set = listed.filter(({ name }) => /^filter\..*\.(?:clean|smudge|process)$/s.test(name));
  for (const { name, value } of set) found.set(name, value);
  for (const { name } of set.filter(({ isOwn }) => isOwn)) found.set(name, kept.get(name) ?? '');
  return new Map([...found].filter(([, command]) => command !== ''));
}

/** None of them runs, and none that must succeed fails for it. */
export function switchOff(commands: FilterCommands): [string, string][] {
  return [...commands.keys()].flatMap((name): [string, string][] => [
    [name, ''],
    [name.replace(/[^.]*$/, 'required'), 'false'],
  ]);
}

/** Settings with one character per byte as text. Others than filters may be anything. */
export function decodeFilters(listed: readonly ListedSetting[]): Result<ListedSetting[]> {
  const decoded: ListedSetting[] = [];
  for (const { name, value, isOwn } of listed.filter((one) => one.name.startsWith('filter.'))) {
    const [key, command] = [decodeName(name), decodeName(value)];
    if (key === undefined || command === undefined)
      return failure(
        'A git filter has a name or a command that is not valid UTF-8.',
        'Rename it or remove it from the configuration of git.',
      );
    decoded.push({ name: key, value: command, isOwn });
  }
  return ok(decoded);
}
