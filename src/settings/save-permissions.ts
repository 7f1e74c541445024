import type { Clock } from '../lib/clock.ts';
import { failure, ok, type Result } from '../lib/result.ts';
import type { PermissionUpdate, SettingsDestination } from '../protocol/permission.ts';
import { changeSettings, type Saved } from './change-settings.ts';
import { parseKnownRule } from './known-tools.ts';
import { formatRule } from './rules.ts';
import type { TrustPlace } from './trust/collect.ts';

export interface SavePlace extends TrustPlace {
  /** The git root of the main checkout, where local settings are kept for all its work trees. */
  mainRoot: string;
}

/** Writes the user's decisions into a settings file: completely or not at all, leaving everything else unchanged. */
export async function savePermissions(
  update: PermissionUpdate,
  destination: SettingsDestination,
  place: SavePlace,
  clock: Clock,
): Promise<Result<Saved>> {
  const texts = update.type === 'set_mode' ? ok([]) : formatTexts(update);
  if (!texts.ok) return texts;
  const root = destination === 'local' ? place.mainRoot : place.root;
  return changeSettings({ ...place, root }, destination, clock, (content) => {
    const permissions = content.permissions ?? {};
    if (!isObject(permissions)) return undefined;
    const key = findKey(update);
    const value =
      update.type === 'set_mode' ? update.mode : combine(update.type, permissions[key] ?? [], texts.value);
    if (value === undefined) return undefined;
    if (JSON.stringify(value) === JSON.stringify(permissions[key] ?? [])) return content;
    return { ...content, permissions: { ...permissions, [key]: value } };
  });
}

function findKey(update: PermissionUpdate): string {
  if (update.type === 'set_mode') return 'defaultMode';
  if ('directories' in update) return 'additionalDirectories';
  return update.type === 'replace_rules' ? update.behaviour : (update.rules[0]?.behaviour ?? 'allow');
}

/** As they will be read again: a rule that would be read differently is not written. */
function formatTexts(update: Exclude<PermissionUpdate, { type: 'set_mode' }>): Result<string[]> {
  if ('directories' in update) return ok(update.directories);
  const texts: string[] = [];
  for (const rule of update.rules) {
    const text = formatRule(rule);
    const read = parseKnownRule(text, rule);
    if (!read.ok)
      return failure(
        `${read.problem.message} It was not saved, because Cadre would not start with it.`,
        read.problem.hint,
      );
    if (read.value.tool !== rule.tool || read.value.specifier !== rule.specifier)
      return failure(
        `The rule ${JSON.stringify(text)} would be read as a different rule, so it was not saved.`,
      );
    texts.push(text);
  }
  return ok(texts);
}

function combine(type: PermissionUpdate['type'], before: unknown, texts: string[]): unknown[] | undefined {
  if (!Array.isArray(before)) return undefined;
  if (type === 'replace_rules') return texts;
  if (type === 'remove_rules' || type === 'remove_directories')
    return before.filter((one) => !texts.includes(one));
  return [...before, ...texts.filter((one) => !before.includes(one))];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
