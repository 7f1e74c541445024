import { ok, type Result, usage } from '../lib/result.ts';
import { parseJson } from './json.ts';
import type { LoadedSettings } from './loaded.ts';
import { mergeLayers, type SettingsLayerContent } from './merge.ts';
import { readPlace, type SettingsOptions, type SettingsPlace, settingsPlaces } from './places.ts';

export type { HeldSetting, LoadedSettings, SettingOrigin } from './loaded.ts';

/**
 * Reads all settings layers. Anything that cannot be understood is a usage problem: a deny rule that was
 * skipped in silence would be worse than a program that does not start.
 */
export async function loadSettings(options: SettingsOptions): Promise<Result<LoadedSettings>> {
  const present: { place: SettingsPlace; text: string }[] = [];
  for (const place of settingsPlaces(options)) {
    const text = readPlace(place);
    if (!text.ok) return text;
    if (text.value !== undefined) present.push({ place, text: text.value });
  }
  const layers: SettingsLayerContent[] = [];
  for (const { place, text } of present) {
    const content = await parsePlace(place, text);
    if (!content.ok) return content;
    layers.push({ place, content: content.value });
  }
  return mergeLayers(layers, options);
}

async function parsePlace(
  place: SettingsPlace,
  text: string,
): Promise<Result<SettingsLayerContent['content']>> {
  // An empty file is what `touch` leaves: no settings.
  if (text.trim() === '') return ok({});
  const json = parseJson(text);
  if (!json.ok) {
    const { line, column, expected } = json.problem;
    return usage(
      `${place.file}:${line}:${column}: not valid JSON: expected ${expected}`,
      'Correct the file, or leave its layer out with --setting-sources.',
    );
  }
  const { checkSettings } = await import('./schema.ts');
  const checked = checkSettings(json.value);
  if (checked.ok) return checked;
  const { field, expected, found } = checked.problem;
  return usage(
    `${place.file}: ${field === '' ? 'settings' : field}: expected ${expected}, found ${found}`,
    'Correct the file, or leave its layer out with --setting-sources.',
  );
}
