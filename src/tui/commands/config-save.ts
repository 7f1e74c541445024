import type { Result } from '../../lib/result.ts';
import { changeSetting } from '../../settings/change-setting.ts';
import {
  findSavedLayer,
  type Saved,
  type SavedLayer,
  type SettingsHome,
} from '../../settings/change-settings.ts';
import type { LoadedSettings, SettingOrigin } from '../../settings/load.ts';
import type { Desk } from '../desk.ts';
import { findOrigin, type Leaf } from './config-values.ts';
import { findSurroundings, settingsNow } from './places.ts';

/** Where a change of a value goes, or why it cannot be changed. */
export type Destination = { layer: SavedLayer } | { refused: string };

/** A value changes in the layer that sets it; a new one is the user's own. */
export function chooseDestination({ key }: Leaf, origin: SettingOrigin | undefined): Destination {
  if (origin?.layer === 'managed')
    return { refused: `${key} is managed: ${origin.file} sets it, and only an administrator can change it.` };
  if (origin?.layer === 'cli')
    return { refused: `${key} is set by the flag --settings. Start without it to change the value here.` };
  return { layer: origin?.layer === 'project' || origin?.layer === 'local' ? origin.layer : 'user' };
}

/** Where a value is removed to get back its default, or why it cannot be. */
export function chooseReset(leaf: Leaf, origin: SettingOrigin | undefined, place: SettingsHome): Destination {
  if (!origin) return { refused: `${leaf.key} already has its default.` };
  const fixed = chooseDestination(leaf, origin);
  if ('refused' in fixed) return fixed;
  const layer = findSavedLayer(place, origin.file);
  return layer === undefined
    ? { refused: `${leaf.key} is set in ${origin.file}, which Cadre does not write. Remove it there.` }
    : { layer };
}

/** Writes one value; undefined removes it. */
export function saveValue(
  desk: Desk,
  { path }: Leaf,
  layer: SavedLayer,
  change: (before: unknown) => unknown,
): Promise<Result<Saved>> {
  const around = findSurroundings(desk);
  return changeSetting(around, layer, around.outside.clock, path, change);
}

/** What became of it: where it was saved, and whether it has an effect. */
export async function describeSaved(
  desk: Desk,
  leaf: Leaf,
  saved: Result<Saved>,
  what: string,
): Promise<string> {
  if (!saved.ok) return [saved.problem.message, saved.problem.hint].filter(Boolean).join(' ');
  const settings = await settingsNow(desk);
  const doubt = settings.ok ? findDoubt(leaf, saved.value, settings.value) : undefined;
  return `${what}. Saved in ${saved.value.file}${doubt ?? '; new sessions use it.'}`;
}

export function findDoubt(
  leaf: Leaf,
  { file, inForce }: Saved,
  settings: LoadedSettings,
): string | undefined {
  const { key, kind } = leaf;
  const held = settings.held.find(
    (one) => one.file === file && (key === one.key || key.startsWith(`${one.key}.`)),
  );
  if (held?.liftedBy === 'nothing') return ', where it has no effect: a repository cannot set it.';
  if (!inForce || held) return '. It takes effect once you trust the rest of that file: cadre trust.';
  if (kind.type === 'list' || kind.type === 'map') return undefined;
  const origin = findOrigin(leaf, settings);
  return origin && origin.file !== file ? `, but ${origin.file} sets it too and wins.` : undefined;
}
