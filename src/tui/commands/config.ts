import { z } from 'zod';
import { changeSettings } from '../../settings/change-settings.ts';
import type { LoadedSettings } from '../../settings/loaded.ts';
import type { SettingSource } from '../../settings/places.ts';
import { isSection, type Setting, type SettingsTable } from '../../settings/table/setting.ts';
import { settingsTable } from '../../settings/table/settings.ts';
import type { Desk } from '../desk.ts';
import { createEditor } from '../editor/index.ts';
import type { PickRow } from '../state.ts';
import type { SlashCommand } from './command.ts';
import { findSurroundings, settingsNow } from './places.ts';

export const configCommand: SlashCommand = {
  name: 'config',
  description: 'settings: see where each comes from, and change them',
  run: (_, desk) => openSettings(desk),
};

/** One setting that can be changed here. */
interface Leaf {
  readonly key: string;
  readonly path: readonly string[];
  readonly setting: Setting;
  readonly kind: Kind;
}

type Kind =
  | { readonly type: 'boolean' }
  | { readonly type: 'choice'; readonly words: readonly string[] }
  | { readonly type: 'number' }
  | { readonly type: 'text' }
  /** Lists and objects are changed in the file. */
  | { readonly type: 'file' };

async function openSettings(desk: Desk, said?: string, at?: { key: string; query?: string }): Promise<void> {
  const settings = await settingsNow(desk);
  if (!settings.ok) return desk.warn(settings.problem.message);
  const leaves = listLeaves(settingsTable);
  const rows = leaves.map((leaf) => describeRow(leaf, settings.value));
  const { files, held } = settings.value;
  const heldWords =
    held.length === 0 ? '' : `\n${held.length} inactive until you trust this repository: cadre trust`;
  const query = at?.query ?? '';
  desk.open({
    kind: 'pick',
    title: `Settings\nRead from ${files.length > 0 ? files.join(', ') : 'no file yet: all have their defaults'}${heldWords}`,
    rows,
    selected:
      at === undefined || query !== ''
        ? 0
        : Math.max(
            0,
            rows.findIndex(({ value }) => value === at.key),
          ),
    ...(query === '' ? {} : { query }),
    verb: 'changes it',
    staysOpen: true,
    ...(said === undefined ? {} : { said }),
    actions: [{ key: 'x', does: 'back to the default', isForRow: true, run: (row) => void reset(desk, row) }],
    pick: (row) => {
      const leaf = leaves.find(({ key }) => key === row.value);
      if (leaf) void change(desk, leaf, settings.value);
    },
  });
}

function listLeaves(table: SettingsTable, path: readonly string[] = []): Leaf[] {
  return Object.entries(table).flatMap(([name, entry]): Leaf[] => {
    const here = [...path, name];
    if (isSection(entry)) return listLeaves(entry.section, here);
    if (entry.members) return listLeaves(entry.members, here);
    return [{ key: here.join('.'), path: here, setting: entry, kind: classify(entry) }];
  });
}

function classify(setting: Setting): Kind {
  const schema = z.toJSONSchema(setting.check(z), { unrepresentable: 'any', io: 'input' });
  if (Array.isArray(schema.enum) && schema.enum.every((one) => typeof one === 'string'))
    return { type: 'choice', words: schema.enum };
  if (schema.type === 'boolean') return { type: 'boolean' };
  if (schema.type === 'number' || schema.type === 'integer') return { type: 'number' };
  if (schema.type === 'string') return { type: 'text' };
  return { type: 'file' };
}

function readValue({ path }: Leaf, settings: LoadedSettings): unknown {
  let value: unknown = settings;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return value;
}

function describeRow(leaf: Leaf, settings: LoadedSettings): PickRow {
  const { key, setting, kind } = leaf;
  const value = readValue(leaf, settings);
  const usual = describeDefault(setting);
  const origin = settings.origin.get(key) ?? settings.origin.get(leaf.path[0] ?? '');
  const isSet = value !== undefined && origin !== undefined;
  return {
    value: key,
    label: key,
    note: isSet ? describeValue(value) : usual,
    preview: [
      key,
      setting.about.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', ''),
      '',
      `Value:   ${isSet ? describeValue(value) : `${usual} (default)`}`,
      ...(isSet ? [`From:    ${origin.layer}, ${origin.file}`, `Default: ${usual}`] : []),
      ...(setting.flag === undefined ? [] : [`Flag:    ${setting.flag}`]),
      ...(setting.variables ? [`Env:     ${setting.variables.names.join(', ')}`] : []),
      ...(kind.type === 'choice' ? [`One of:  ${kind.words.join(', ')}`] : []),
      ...(kind.type === 'file' ? ['', 'A list or an object: return opens the file in your editor.'] : []),
    ].join('\n'),
  };
}

function describeDefault({ usual, otherwise }: Setting): string {
  if (usual !== undefined) return describeValue(usual);
  return otherwise?.replaceAll('`', '') ?? 'not set';
}

/** As a person would say it: lists by their items, objects by the number of their entries. */
function describeValue(value: unknown): string {
  if (value === true) return 'on';
  if (value === false) return 'off';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(describeValue).join(', ');
  if (isObject(value)) {
    const names = Object.keys(value);
    return names.length === 0 ? 'none' : names.join(', ');
  }
  return String(value);
}

async function change(desk: Desk, leaf: Leaf, settings: LoadedSettings): Promise<void> {
  const { key, setting, kind } = leaf;
  const now = readValue(leaf, settings) ?? setting.usual;
  const { panel } = desk.app.state;
  const query = panel?.kind === 'pick' ? panel.query : undefined;
  const at = { key, ...(query === undefined ? {} : { query }) };
  const layer = findLayer(settings.origin.get(key)?.layer);
  const under = panel ? { under: panel } : {};
  if (kind.type === 'boolean') return openSettings(desk, await save(desk, leaf, layer, now !== true), at);
  if (kind.type === 'file') return openSettings(desk, await editFile(desk, settings, key), at);
  if (kind.type === 'choice')
    return desk.open({
      kind: 'pick',
      title: key,
      rows: kind.words.map((word) => ({ value: word, label: word, isCurrent: word === now })),
      selected: Math.max(0, kind.words.indexOf(String(now))),
      ...under,
      pick: ({ value }) => void save(desk, leaf, layer, value).then((said) => openSettings(desk, said, at)),
    });
  desk.open({
    kind: 'field',
    title: key,
    about: setting.about.replaceAll('`', ''),
    placeholder: describeDefault(setting),
    editor: createEditor(now === undefined ? '' : String(now)),
    ...under,
    save: async (text) => {
      const value = kind.type === 'number' ? Number(text) : text;
      const checked = setting.check(z).safeParse(value);
      if (!checked.success) return `${key}: ${checked.error.issues[0]?.message ?? 'not a valid value'}`;
      await openSettings(desk, await save(desk, leaf, layer, value), at);
      return undefined;
    },
  });
}

/** A value changes where it is set; a new one is the user's own. */
function findLayer(layer: string | undefined): SettingSource {
  return layer === 'project' || layer === 'local' ? layer : 'user';
}

async function reset(desk: Desk, row: PickRow | undefined): Promise<void> {
  const settings = await settingsNow(desk);
  const leaf = listLeaves(settingsTable).find(({ key }) => key === row?.value);
  if (!leaf || !settings.ok) return;
  const origin = settings.value.origin.get(leaf.key) ?? settings.value.origin.get(leaf.path[0] ?? '');
  if (!origin) return openSettings(desk, `${leaf.key} already has its default.`, leaf);
  await openSettings(desk, await save(desk, leaf, findLayer(origin.layer), undefined), leaf);
}

/** Writes one value; undefined removes it. Says where, or why not. */
async function save(desk: Desk, leaf: Leaf, layer: SettingSource, value: unknown): Promise<string> {
  const around = findSurroundings(desk);
  const root = layer === 'local' ? around.mainRoot : around.root;
  const done = await changeSettings({ ...around, root }, layer, around.outside.clock, (content) =>
    setAt(content, leaf.path, value),
  );
  if (!done.ok) return [done.problem.message, done.problem.hint].filter(Boolean).join(' ');
  const what =
    value === undefined ? `${leaf.key} has its default again` : `${leaf.key}: ${describeValue(value)}`;
  return `${what}. Saved in ${done.value.file}; new sessions use it.`;
}

function setAt(
  content: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> | undefined {
  if (rest.length > 0) {
    const inner = content[name] ?? {};
    const set = isObject(inner) ? setAt(inner, rest, value) : undefined;
    return set && { ...content, [name]: set };
  }
  if (value !== undefined) return { ...content, [name]: value };
  const { [name]: _, ...others } = content;
  return others;
}

/** The file that sets it, or else the user's own. */
async function editFile(desk: Desk, settings: LoadedSettings, key: string): Promise<string> {
  const { editOwnFile } = await import('./edit-file.ts');
  const { home } = findSurroundings(desk);
  const origin = [...settings.origin].find(([name]) => name === key || name.startsWith(`${key}.`));
  return editOwnFile(desk, origin?.[1].file ?? `${home}/settings.json`, '{\n}\n');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
