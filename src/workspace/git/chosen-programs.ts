import { failure, ok, type Result } from '../../lib/result.ts';
import type { ListedSetting } from './filters.ts';
import { decodeName } from './names.ts';

/** Settings whose values git runs when it compares, checks out or merges. */
const programSettings =
  /^(?:filter|merge|diff)\..*\.(?:clean|smudge|process|required|driver|textconv|command)$/s;
const filterSettings = /^filter\..*\.(?:clean|smudge|process|required)$/s;

export interface SettingsInEffect {
  /** As git lists them where it runs. */
  readonly listed: readonly ListedSetting[];
  /** Those of every file that it could read, whatever its condition. */
  readonly every: readonly ListedSetting[];
  /** Those of the repository that stay, with their values. */
  readonly kept?: ReadonlyMap<string, string>;
}

/**
 * A value for each setting that names a program and that the repository makes, here or under a condition that does not hold
 * here: what is given to git by a variable is used whatever its files say by then. A program of the user's own stays, with the
 * value that is in effect; where a condition keeps one of the user's filters out, it stays out.
 */
export function chooseProgramValues(
  { listed, every, kept = new Map() }: SettingsInEffect,
  cwd: string,
): Result<[string, string][]> {
  const inEffect = new Map(listed.map((one) => [one.name, one]));
  const all = [...every, ...listed];
  const names = all
    .filter(({ name, isOwn }) => programSettings.test(name) && (isOwn || filterSettings.test(name)))
    .map(({ name }) => name);
  const chosen: [string, string][] = [];
  for (const name of new Set(names)) {
    const key = decodeName(name);
    const found = inEffect.get(name);
    const isOfRepository = all.some((one) => one.isOwn && one.name === name);
    if (found && !found.isOwn && !isOfRepository) continue;
    const value = key !== undefined && found && !found.isOwn ? decodeName(found.value) : undefined;
    if (key === undefined || key.includes('\0') || (found && !found.isOwn && value === undefined))
      return failure(
        `git in ${cwd}: a filter or a diff driver has a name or a command that is not valid UTF-8, so its programs cannot be switched off.`,
        'Rename or remove it in the configuration of the repository.',
      );
    chosen.push([key, value ?? kept.get(key) ?? neutralValue(key)]);
  }
  return ok(chosen);
}

/**
 * A filter that must succeed would fail once it is emptied, so `required` goes too. An empty merge driver would succeed and
 * silently drop one side's changes: `false`, the program, makes them a conflict.
 */
function neutralValue(name: string): string {
  return name.endsWith('.required') || /^merge\..*\.driver$/s.test(name) ? 'false' : '';
}
