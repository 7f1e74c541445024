import type { HeldSetting, LoadedSettings } from './loaded.ts';
import type { SettingsPlace } from './places.ts';
import type { SettingsFileContent } from './schema.ts';

const keys = ['hooks', 'disableAllHooks', 'allowedHttpHookUrls'] as const;

/** Hooks of all layers are joined. Those of a repository that is not trusted are kept, to be shown, and never asked. */
export function mergeHooks(
  loaded: LoadedSettings,
  { layer, file, base }: SettingsPlace,
  content: SettingsFileContent,
  held: Pick<HeldSetting, 'changed' | 'leadsTo'> | undefined,
): void {
  const { hooks, disableAllHooks, allowManagedHooksOnly, allowedHttpHookUrls } = content;
  if (hooks && Object.keys(hooks).length > 0) {
    const standing = held && { held: held.leadsTo === undefined ? ('held' as const) : ('refused' as const) };
    loaded.hooks.push({ layer, file, base, hooks, ...standing });
  }
  if (held) {
    const given = keys.filter((key) => content[key] !== undefined);
    loaded.held.push(...given.map((key): HeldSetting => ({ file, key, liftedBy: 'trust' })));
    return;
  }
  if (disableAllHooks && loaded.hooksDisabled !== 'all')
    loaded.hooksDisabled = layer === 'managed' ? 'all' : 'unmanaged';
  if (layer === 'managed' && allowManagedHooksOnly) loaded.managedHooksOnly = true;
  // Each layer can only narrow what another has named.
  if (allowedHttpHookUrls)
    loaded.allowedHttpHookUrls = loaded.allowedHttpHookUrls
      ? loaded.allowedHttpHookUrls.filter((url) => allowedHttpHookUrls.includes(url))
      : [...allowedHttpHookUrls];
}
