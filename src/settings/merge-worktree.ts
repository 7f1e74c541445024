import type { LoadedSettings, WorktreeSettings } from './loaded.ts';
import type { SettingsPlace } from './places.ts';
import type { SettingsFileContent } from './schema.ts';

const lists = ['copyDirectories', 'symlinkDirectories'] as const;
const singles = ['gate', 'baseRef', 'uncommitted'] as const;

/** How worktrees are made, filled and landed. A repository's own word counts once it is trusted. */
export function mergeWorktree(
  loaded: LoadedSettings,
  place: SettingsPlace,
  content: SettingsFileContent,
  held: boolean,
): void {
  const given = content.worktree ?? {};
  if (held) {
    for (const key of [...lists, ...singles])
      if (given[key] !== undefined)
        loaded.held.push({ file: place.file, key: `worktree.${key}`, liftedBy: 'trust' });
    return;
  }
  for (const key of lists) loaded.worktree[key].push(...(given[key] ?? []));
  const take = <Key extends (typeof singles)[number]>(key: Key) => {
    if (given[key] === undefined || loaded.worktree[key] !== undefined) return;
    loaded.worktree[key] = given[key] as WorktreeSettings[Key];
    loaded.origin.set(`worktree.${key}`, { layer: place.layer, file: place.file });
  };
  for (const key of singles) take(key);
}
