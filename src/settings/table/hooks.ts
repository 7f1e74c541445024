import { form } from '../../lib/form/form.ts';
import type { SettingsLayer } from '../../protocol/permission.ts';
import { flag, text } from './checks.ts';
import { custom } from './merging.ts';
import type { Check, Merging } from './setting.ts';

/** The hooks of one file, as written: they are interpreted where hooks are read. */
export interface HooksSetting {
  layer: SettingsLayer;
  file: string;
  /** The directory that paths of its rules are relative to. */
  base: string;
  hooks: Readonly<Record<string, unknown>>;
  /** They do not run: until they are trusted, or never. */
  held?: 'held' | 'refused';
}

const record: Check<Record<string, unknown>> = () => form.record(form.unknown());

const joined: Merging<Record<string, unknown>, HooksSetting[]> = {
  start: () => [],
  add(before, hooks, { place: { layer, file, base }, held }) {
    if (Object.keys(hooks).length === 0) return before;
    const standing = held && { held: held.leadsTo === undefined ? ('held' as const) : ('refused' as const) };
    return [...before, { layer, file, base, hooks, ...standing }];
  },
};

/** `all`: an administrator disabled them. `unmanaged`: another layer did, which spares an administrator's hooks. */
const disabling: Merging<boolean, 'all' | 'unmanaged' | undefined> = {
  start: () => undefined,
  add(before, disables, { place }) {
    if (!disables || before === 'all') return before;
    return place.layer === 'managed' ? 'all' : 'unmanaged';
  },
};

const managedOnly: Merging<boolean, boolean> = {
  start: () => false,
  add: (before, written, { place }) => before || (place.layer === 'managed' && written),
};

/** Each layer can only narrow another's list. */
const narrowed: Merging<string[], string[] | undefined> = {
  start: () => undefined,
  add: (before, urls) => (before ? before.filter((url) => urls.includes(url)) : urls),
};

export const hookSettings = {
  hooks: custom(record, joined, {
    about: 'programs, servers and prompts called at certain points of a run: [hooks](hooks.md)',
    repository: { listed: true },
  }),
  disableAllHooks: custom(flag, disabling, {
    about: "`true`: no hooks run; only an administrator can disable an administrator's hooks",
    otherwise: '`false`',
  }),
  allowManagedHooksOnly: custom(flag, managedOnly, {
    about: "managed settings only; `true`: only an administrator's hooks run",
    otherwise: '`false`',
    repository: { refuses: () => true, quietly: true },
  }),
  allowedHttpHookUrls: custom(() => form.array(text()), narrowed, {
    about: 'the only addresses that HTTP hooks may call, with `*`',
    otherwise: 'any address',
    repository: { evenEmpty: true },
  }),
};
