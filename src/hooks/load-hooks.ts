import type { LoadedSettings } from '../settings/loaded.ts';
import type { HooksSetting } from '../settings/table/hooks.ts';
import type { HookEntry, HookFault } from './entry.ts';
import { type GivenHooks, readGivenHooks } from './given-hooks.ts';
import { readHooks } from './read-config.ts';
import { readPluginHooks } from './read-plugin.ts';

export interface HookSources {
  settings: Pick<LoadedSettings, 'hooks' | 'disableAllHooks' | 'allowManagedHooksOnly'>;
  /** Absolute. */
  plugins: readonly string[];
  /** Added by the program. */
  given?: GivenHooks;
}

export interface LoadedHooks {
  /** The hooks in force. */
  entries: HookEntry[];
  /** The hooks that are not in force: held until trusted, or switched off. */
  idle: IdleHook[];
  faults: HookFault[];
}

export interface IdleHook {
  entry: HookEntry;
  reason: 'held' | 'refused' | 'disabled';
}

/** All hooks except those of agents. Nothing runs here, and broken entries are listed. */
export function loadHooks({ settings, plugins, given }: HookSources): LoadedHooks {
  const loaded: LoadedHooks = { entries: [], idle: [], faults: [] };
  const add = ({ entries, faults }: ReturnType<typeof readHooks>, idle?: IdleHook['reason']) => {
    loaded.faults.push(...faults);
    if (idle) loaded.idle.push(...entries.map((entry) => ({ entry, reason: idle })));
    else loaded.entries.push(...entries);
  };
  for (const setting of settings.hooks)
    add(
      readHooks(setting.hooks, { kind: setting.layer, file: setting.file, base: setting.base }),
      setting.held ?? (isDisabled(settings, setting.layer) ? 'disabled' : undefined),
    );
  for (const plugin of plugins)
    add(readPluginHooks(plugin), isDisabled(settings, 'plugin') ? 'disabled' : undefined);
  if (given) add(readGivenHooks(given));
  return loaded;
}

/** Hooks of an administrator cannot be switched off by other settings. */
export function isDisabled(
  { disableAllHooks, allowManagedHooksOnly }: HookSources['settings'],
  kind: HooksSetting['layer'] | 'plugin' | 'agent',
): boolean {
  if (disableAllHooks === 'all') return true;
  return kind !== 'managed' && (disableAllHooks === 'unmanaged' || allowManagedHooksOnly);
}
