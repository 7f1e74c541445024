import { lstatSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeAtomic } from '../lib/atomic.ts';
import { describeFileError } from '../lib/files.ts';
import { codeOf, fail, failure, ok, type Result } from '../lib/result.ts';
import type { PermissionUpdate, SettingsDestination } from '../protocol/permission.ts';
import { parseJson } from './json.ts';
import { setJsonValue } from './json-edit.ts';
import { formatRule, parseRule } from './rules.ts';

/** The directories whose settings files can be written to. */
export interface SavePlaces {
  home: string;
  cwd: string;
  /** The git root of the main checkout; the directory of the start outside of a repository. */
  mainRoot: string;
}

export function settingsFileFor(destination: SettingsDestination, places: SavePlaces): string {
  if (destination === 'user') return join(places.home, 'settings.json');
  return destination === 'local'
    ? join(places.mainRoot, '.cadre', 'settings.local.json')
    : join(places.cwd, '.cadre', 'settings.json');
}

/**
 * Writes what a person decided into a settings file: wholly or not at all, and everything else in it stays as it is. A
 * problem says why it was left alone. Returns the file.
 */
export function savePermissions(
  update: PermissionUpdate,
  destination: SettingsDestination,
  places: SavePlaces,
): Result<string> {
  const file = settingsFileFor(destination, places);
  const target = destination === 'user' ? followLink(file) : refuseLink(file);
  if (!target.ok) return target;
  const current = readCurrent(target.value);
  if (!current.ok) return current;
  const { text, permissions, mode } = current.value;
  const change = changeOf(update, permissions);
  if (!change.ok) return change;
  if (!change.value) return ok(file);
  const changed = setJsonValue(text, ['permissions', change.value.key], change.value.value);
  const written = writeAtomic(target.value, changed, mode);
  return written.ok ? ok(file) : written;
}

interface Current {
  text: string;
  permissions: Record<string, unknown>;
  mode: number;
}

function readCurrent(file: string): Result<Current> {
  try {
    const entry = lstatSync(file, { throwIfNoEntry: false });
    if (!entry) {
      mkdirSync(dirname(file), { recursive: true });
      return ok({ text: '{}\n', permissions: {}, mode: 0o600 });
    }
    if (!entry.isFile()) return failure(`${file} is not a plain file, so nothing was saved there.`);
    const text = readFileSync(file, 'utf8');
    if (text.trim() === '') return ok({ text: '{}\n', permissions: {}, mode: entry.mode & 0o777 });
    const json = parseJson(text);
    if (!json.ok)
      return failure(
        `${file}:${json.problem.line}:${json.problem.column}: not valid JSON, so nothing was saved there.`,
      );
    const top = json.value;
    const permissions = isObject(top) ? (top.permissions ?? {}) : undefined;
    if (!isObject(permissions))
      return failure(`${file} holds something else than settings, so nothing was saved there.`);
    return ok({ text, permissions, mode: entry.mode & 0o777 });
  } catch (error) {
    return fail(describeFileError(error, file, 'write'));
  }
}

/** A link in a repository could lead the rule, and the file it replaces, anywhere. */
function refuseLink(file: string): Result<string> {
  const folder = dirname(file);
  for (const path of [folder, file])
    if (isLink(path)) return failure(`${path} is a symbolic link, so nothing was saved there.`);
  return ok(file);
}

/** The user's own file may be kept elsewhere. */
function followLink(file: string): Result<string> {
  try {
    return ok(isLink(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file)));
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? ok(file) : fail(describeFileError(error, file, 'write'));
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Undefined when it is there already. */
function changeOf(
  update: PermissionUpdate,
  permissions: Record<string, unknown>,
): Result<{ key: string; value: unknown } | undefined> {
  if (update.type === 'set_mode')
    return ok(
      permissions.defaultMode === update.mode ? undefined : { key: 'defaultMode', value: update.mode },
    );
  const key = listOf(update);
  const before = permissions[key] ?? [];
  if (!Array.isArray(before)) return failure(`permissions.${key} is not a list, so nothing was saved there.`);
  const texts = textsOf(update);
  if (!texts.ok) return texts;
  const after = combine(update.type, before, texts.value);
  return ok(JSON.stringify(before) === JSON.stringify(after) ? undefined : { key, value: after });
}

function listOf(update: Exclude<PermissionUpdate, { type: 'set_mode' }>): string {
  if ('directories' in update) return 'additionalDirectories';
  return update.type === 'replace_rules' ? update.behaviour : (update.rules[0]?.behaviour ?? 'allow');
}

/** As they will be read again: what would mean something else when read is not written. */
function textsOf(update: Exclude<PermissionUpdate, { type: 'set_mode' }>): Result<string[]> {
  if ('directories' in update) return ok(update.directories);
  const texts: string[] = [];
  for (const rule of update.rules) {
    const text = formatRule(rule);
    const read = parseRule(text, rule.behaviour, rule.layer, rule.source, rule.base);
    if (!read.ok) return read;
    if (read.value.tool !== rule.tool || read.value.specifier !== rule.specifier)
      return failure(`The rule ${JSON.stringify(text)} would be read as another one, so it was not saved.`);
    texts.push(text);
  }
  return ok(texts);
}

function combine(type: PermissionUpdate['type'], before: unknown[], texts: string[]): unknown[] {
  if (type === 'replace_rules') return texts;
  if (type === 'remove_rules' || type === 'remove_directories')
    return before.filter((one) => !texts.includes(one as string));
  return [...before, ...texts.filter((one) => !before.includes(one))];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
