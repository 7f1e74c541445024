import type { Clock } from '../lib/clock.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import { failure, ok, type Result, usage } from '../lib/result.ts';
import type { PermissionUpdate, Rule, SettingsDestination } from '../protocol/permission.ts';
import { changeSettings, type Saved } from './change-settings.ts';
import { parseKnownRule } from './known-tools.ts';
import { formatRule, parseRule } from './rules.ts';
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
  return changeSettings(place, destination, clock, (content, file) => {
    const key = findKey(update);
    return changeKey(content, file, key, (before) =>
      update.type === 'set_mode' ? ok(update.mode) : combine(update, before, texts.value, file),
    );
  });
}

/** Writes a rule in the place of another, in one step: a failure leaves the old one. */
export async function replaceRule(
  before: Rule,
  after: Rule,
  destination: SettingsDestination,
  place: SavePlace,
  clock: Clock,
): Promise<Result<Saved>> {
  const texts = formatTexts({ type: 'add_rules', rules: [after], destination });
  if (!texts.ok) return texts;
  return changeSettings(place, destination, clock, (content, file) =>
    changeKey(content, file, before.behaviour, (written) => {
      if (!Array.isArray(written)) return invalid(file);
      const at = written.findIndex((one) => isRule(one, before));
      if (at === -1)
        return failure(
          `${file} no longer contains ${formatRule(before)}, so nothing was changed.`,
          'Open the list again.',
        );
      return ok([...new Set(written.toSpliced(at, 1, ...texts.value))]);
    }),
  );
}

function changeKey(
  content: Record<string, unknown>,
  file: string,
  key: string,
  change: (before: unknown) => Result<unknown>,
): Result<Record<string, unknown>> {
  const permissions = content.permissions ?? {};
  if (!isRecord(permissions)) return invalid(file);
  const value = change(permissions[key] ?? []);
  if (!value.ok) return value;
  if (JSON.stringify(value.value) === JSON.stringify(permissions[key] ?? [])) return ok(content);
  return ok({ ...content, permissions: { ...permissions, [key]: value.value } });
}

function invalid(file: string): Result<never> {
  return usage(`${file}: permissions have an invalid form.`, 'Fix the file.');
}

/** It may be written with other spaces, or another name of the tool, than Cadre writes. */
function isRule(written: unknown, { tool, specifier, behaviour, layer, source, base }: Rule): boolean {
  if (typeof written !== 'string') return false;
  const read = parseRule(written, behaviour, layer, source, base);
  return read.ok && read.value.tool === tool && read.value.specifier === specifier;
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

function combine(
  update: Exclude<PermissionUpdate, { type: 'set_mode' }>,
  before: unknown,
  texts: string[],
  file: string,
): Result<unknown[]> {
  if (!Array.isArray(before)) return invalid(file);
  if (update.type === 'replace_rules') return ok(texts);
  if (update.type === 'remove_rules')
    return ok(before.filter((one) => !update.rules.some((rule) => isRule(one, rule))));
  if (update.type === 'remove_directories') return ok(before.filter((one) => !texts.includes(one)));
  return ok([...before, ...texts.filter((one) => !before.includes(one))]);
}
