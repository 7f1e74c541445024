import type { LoadedSettings } from './loaded.ts';
import type { SettingsPlace } from './places.ts';
import type { SettingsFileContent } from './schema.ts';

/** How worktrees are filled and what must succeed before they land. A repository's own word counts once it is trusted. */
export function mergeWorktree(
  loaded: LoadedSettings,
  place: SettingsPlace,
  content: SettingsFileContent,
  held: boolean,
): void {
  const { copyDirectories = [], symlinkDirectories = [], gate } = content.worktree ?? {};
  if (held) {
    const given = { copyDirectories, symlinkDirectories, gate: gate === undefined ? [] : [gate] };
    for (const [key, values] of Object.entries(given))
      if (values.length > 0)
        loaded.held.push({ file: place.file, key: `worktree.${key}`, liftedBy: 'trust' });
    return;
  }
  loaded.worktree.copyDirectories.push(...copyDirectories);
  loaded.worktree.symlinkDirectories.push(...symlinkDirectories);
  if (gate === undefined || loaded.worktree.gate !== undefined) return;
  loaded.worktree.gate = gate;
  loaded.origin.set('worktree.gate', { layer: place.layer, file: place.file });
}
