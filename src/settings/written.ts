import { isRecord } from '../lib/fields/field-values.ts';
import { ok, type Result } from '../lib/result.ts';
import type { SettingsLayer } from '../protocol/permission.ts';
import { parsePlace } from './load.ts';
import { readPlace, type SettingsLookup, settingsPlaces } from './places.ts';

/** A value as one file has it, before the layers are merged. */
export interface WrittenValue {
  layer: SettingsLayer;
  file: string;
  value: unknown;
}

/** Every file that sets a value, highest first. */
export function listWritten(lookup: SettingsLookup, path: readonly string[]): Result<WrittenValue[]> {
  const found: WrittenValue[] = [];
  for (const place of settingsPlaces(lookup)) {
    const read = readPlace(place, place.root ?? lookup.root);
    if (!read.ok) return read;
    const json = parsePlace(place, read.value?.text ?? '');
    if (!json.ok) return json;
    const value = path.reduce<unknown>(readMember, json.value);
    if (value !== undefined) found.push({ layer: place.layer, file: place.file, value });
  }
  return ok(found);
}

/** A switch in place of an object, as in `dream: true`, means its `enabled`. */
function readMember(inner: unknown, name: string): unknown {
  if (typeof inner === 'boolean') return name === 'enabled' ? inner : undefined;
  return isRecord(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
}
