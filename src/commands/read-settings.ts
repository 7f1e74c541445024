import type { Result } from '../lib/result.ts';
import { type Surroundings, settingsPlaces } from '../session/surroundings.ts';
import { type LoadedSettings, loadSettings } from '../settings/load.ts';
import type { SettingsLookup } from '../settings/places.ts';

/** The settings of a session here. What a command's flags change is in `wish`. */
export function readSettings(
  around: Surroundings,
  wish: Partial<SettingsLookup> = {},
): Promise<Result<LoadedSettings>> {
  const places = settingsPlaces(around);
  return loadSettings({ ...places, sources: ['user', 'project', 'local'], trusted: false, ...wish });
}
