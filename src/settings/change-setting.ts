import type { Clock } from '../lib/clock.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { changeSettings, type Saved, type SavedLayer, type SettingsHome } from './change-settings.ts';

type Content = Record<string, unknown>;

/**
 * Changes one value in our own file of a layer, `['terminal', 'theme']`; undefined removes it. A value that the next start would
 * refuse is not written.
 */
export async function changeSetting(
  place: SettingsHome,
  layer: SavedLayer,
  clock: Clock,
  path: readonly string[],
  change: (before: unknown) => unknown,
): Promise<Result<Saved>> {
  const { checkSettings } = await import('./schema.ts');
  return changeSettings(place, layer, clock, (content, file) => {
    const changed = setAt(content, path, change);
    if (!changed) return usage(`${file}: ${path.join('.')} cannot be set in it.`, 'Fix the file.');
    const checked = checkSettings(pickPath(changed, path));
    if (checked.ok) return ok(changed);
    const { field, expected, found } = checked.problem;
    return usage(`${field || path.join('.')}: expected ${expected}, found ${found}.`);
  });
}

function setAt(
  content: Content,
  [name = '', ...rest]: readonly string[],
  change: (before: unknown) => unknown,
): Content | undefined {
  const before = Object.hasOwn(content, name) ? content[name] : undefined;
  const value = rest.length === 0 ? change(before) : changeInner(before, rest, change);
  if (rest.length > 0 && value === undefined) return undefined;
  const { [name]: _, ...others } = content;
  if (value !== undefined) return { ...content, [name]: value };
  return others;
}

/** A switch in place of an object, as in `dream: true`, means its `enabled`. */
function changeInner(
  before: unknown,
  path: readonly string[],
  change: (before: unknown) => unknown,
): Content | undefined {
  const inner = typeof before === 'boolean' ? { enabled: before } : (before ?? {});
  return isRecord(inner) ? setAt(inner, path, change) : undefined;
}

/** Other faults of the file are not this change's. */
function pickPath(content: Content, [name = '', ...rest]: readonly string[]): Content {
  const value = content[name];
  if (!Object.hasOwn(content, name)) return {};
  return { [name]: rest.length > 0 && isRecord(value) ? pickPath(value, rest) : value };
}
