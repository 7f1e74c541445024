import type { Rule } from '../protocol/permission.ts';
import type { HeldSetting, LoadedSettings } from './loaded.ts';
import type { SettingsLookup, SettingsPlace } from './places.ts';
import {
  isSection,
  type LayerContext,
  type MergedTable,
  type Section,
  type Setting,
  type SettingsTable,
} from './table/setting.ts';
import { type SettingsFileContent, settingsTable } from './table/settings.ts';
import { findMeantKey, listUnheeded, type UnheededKey } from './unheeded.ts';

export interface SettingsLayerContent {
  place: SettingsPlace;
  content: SettingsFileContent;
  rules: readonly Rule[];
  /** The file belongs to a repository and is not trusted: only settings that narrow take effect. */
  held?: Held;
}

/** The report about a held file. */
export type Held = Pick<HeldSetting, 'changed' | 'leadsTo'>;

type Values = Record<string, unknown>;

/**
 * All layers in one, highest first; the table says how each setting is merged. Settings of an untrusted repository
 * take effect only if they narrow permissions; the rest is held and listed.
 */
export function mergeLayers(
  layers: readonly SettingsLayerContent[],
  options: SettingsLookup,
): LoadedSettings {
  const loaded = noSettings();
  for (const layer of layers) {
    const { place, content, rules, held } = layer;
    loaded.rules.push(...rules.filter((rule) => !held || rule.behaviour !== 'allow'));
    new LayerMerge(loaded, { ...layer, options }).addTable(settingsTable, loaded, content, '');
    if (place.text === undefined) loaded.files.push(place.file);
  }
  addClosedPaths(loaded);
  return loaded;
}

/** What the sandbox closes is judged like a rule: in lines, by tools, in agents' worktrees. What it shows is not closed. */
function addClosedPaths({ rules, sandbox: { filesystem } }: LoadedSettings): void {
  const { allowRead, denyRead } = filesystem;
  if (allowRead.length > 0) filesystem.denyRead = denyRead.map((rule) => ({ ...rule, except: allowRead }));
  rules.push(...filesystem.denyRead, ...filesystem.denyWrite);
}

export function noSettings(): LoadedSettings {
  return {
    ...startTable(settingsTable),
    rules: [],
    origin: new Map(),
    held: [],
    unheeded: [],
    files: [],
  };
}

/** The values of a table when no file sets any. */
export function startTable<Table extends SettingsTable>(table: Table): MergedTable<Table> {
  const entries = Object.entries(table).map(([key, entry]) => [
    key,
    isSection(entry) ? startTable(entry.section) : entry.merging.start(),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Adds one layer to the result of the layers above it. */
class LayerMerge {
  private readonly place: SettingsPlace;

  constructor(
    private readonly loaded: LoadedSettings,
    private readonly layer: LayerContext & { held?: Held },
  ) {
    this.place = layer.place;
  }

  addTable(table: SettingsTable, into: object, content: object, prefix: string): void {
    const [values, given] = [into as Values, content as Values];
    if (prefix === '') for (const found of listUnheeded(table, given)) this.nameUnheeded(found);
    for (const [key, entry] of Object.entries(table)) {
      const written = given[key];
      if (written === undefined) continue;
      if (isSection(entry)) this.addSection(entry, values[key] as Values, written as Values, prefix + key);
      else this.addSetting(entry, values, key, written, prefix + key);
    }
  }

  private addSection({ section, guards }: Section, into: Values, content: Values, path: string): void {
    for (const key of Object.keys(content).filter((one) => !Object.hasOwn(section, one))) {
      const near = findMeantKey(key, Object.keys(section));
      const meant = near === undefined ? undefined : `${path}.${near}`;
      // A key of another product that is off asks for nothing; a misspelt one of ours may be a restriction.
      const isOff = content[key] === false && near === undefined;
      if ((guards && !isOff) || near !== undefined) this.nameUnheeded({ key: `${path}.${key}`, meant });
    }
    this.addTable(section, into, content, `${path}.`);
  }

  private addSetting(setting: Setting, into: Values, key: string, written: unknown, path: string): void {
    const ignored = setting.ignores?.(written);
    if (ignored !== undefined) this.nameUnheeded({ key: path, ignored });
    const standing = this.judge(setting, written);
    if (standing === 'refused' && !setting.repository?.quietly) this.hold(path, 'nothing');
    const says = isGiven(written) || setting.repository?.evenEmpty;
    if (standing === 'held' && says) this.hold(path, 'trust');
    if (standing === 'counts' || (standing === 'held' && setting.repository?.listed)) {
      const before = into[key];
      const after = setting.merging.add(before, written, this.layer);
      if (after === undefined) return;
      into[key] = after;
      this.noteOrigin(setting, before, after, path);
    }
  }

  private judge(setting: Setting, written: unknown): 'counts' | 'held' | 'refused' {
    const { refuses, narrows, tightens } = setting.repository ?? {};
    if (this.place.fromRepository && refuses?.(written)) return 'refused';
    if (!this.layer.held || narrows?.(written) || tightens?.(written)) return 'counts';
    return 'held';
  }

  private noteOrigin({ merging }: Setting, before: unknown, after: unknown, path: string): void {
    const { origin } = this.loaded;
    const { layer, file } = this.place;
    const known = merging.listParts?.(before);
    const names = merging
      .listParts?.(after)
      .filter((name) => !known?.includes(name))
      .map((name) => `${path}.${name}`);
    for (const name of names ?? [path]) if (!origin.has(name)) origin.set(name, { layer, file });
  }

  private nameUnheeded(found: Omit<UnheededKey, 'file'>): void {
    this.loaded.unheeded.push({ file: this.place.file, ...found });
  }

  private hold(key: string, liftedBy: HeldSetting['liftedBy']): void {
    const { held } = this.layer;
    const isLink = held?.leadsTo !== undefined;
    this.loaded.held.push({
      file: this.place.file,
      key,
      liftedBy: isLink ? 'nothing' : liftedBy,
      ...(liftedBy === 'trust' ? held : {}),
    });
  }
}

/** An empty list or object asks for nothing. */
function isGiven(written: unknown): boolean {
  return typeof written !== 'object' || written === null || Object.keys(written).length > 0;
}
