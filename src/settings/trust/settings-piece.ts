import { isRecord } from '../../lib/fields/field-values.ts';
import { isSection, type SettingsTable } from '../table/setting.ts';
import { settingsTable } from '../table/settings.ts';
import type { TrustPiece } from './piece.ts';

/** The privileges in a settings file, from its JSON; undefined if it only narrows. */
export function settingsPiece(file: string, json: unknown): TrustPiece | undefined {
  const content = findPower(json, settingsTable);
  return content === undefined ? undefined : { kind: 'settings', file, content };
}

/**
 * The content of a file without the parts that take effect without trust. An unknown key counts as a privilege too: a later
 * version may act on it, and must only find it trusted if it was shown to the user.
 */
function findPower(value: unknown, table: SettingsTable): unknown {
  if (!isRecord(value)) return value;
  const left = Object.entries(value).flatMap(([key, item]) => {
    if (key === '$schema' && table === settingsTable) return [];
    const entry = Object.hasOwn(table, key) ? table[key] : undefined;
    if (entry && !isSection(entry) && entry.repository?.narrows?.(item)) return [];
    const power =
      entry && isSection(entry) && hasNarrowing(entry.section) ? findPower(item, entry.section) : item;
    return isGiven(power) ? [[key, power] as const] : [];
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** Trusted content is hashed: a section that holds only privileges stays as written. */
function hasNarrowing(table: SettingsTable): boolean {
  return Object.values(table).some((entry) =>
    isSection(entry) ? hasNarrowing(entry.section) : entry.repository?.narrows !== undefined,
  );
}

function isGiven(value: unknown): boolean {
  return (
    value !== undefined && (typeof value !== 'object' || value === null || Object.keys(value).length > 0)
  );
}
