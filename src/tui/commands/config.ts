import type { LoadedSettings } from '../../settings/load.ts';
import type { Desk } from '../desk.ts';
import { createEditor } from '../editor/index.ts';
import type { PickRow } from '../state.ts';
import type { SlashCommand } from './command.ts';
import { openItems } from './config-items.ts';
import { chooseDestination, chooseReset, describeSaved, saveValue } from './config-save.ts';
import {
  describeDefault,
  describeValue,
  describeWords,
  findOrigin,
  type Leaf,
  listLeaves,
  readValue,
} from './config-values.ts';
import { findSurroundings, settingsNow } from './places.ts';

export const configCommand: SlashCommand = {
  name: 'config',
  description: 'settings: see where each comes from, and change them',
  run: (_, desk) => openSettings(desk),
};

/** Where the list is opened again after a change. */
interface At {
  key: string;
  query?: string;
}

async function openSettings(desk: Desk, said?: string, at?: At): Promise<void> {
  const settings = await settingsNow(desk);
  if (!settings.ok) return desk.warn(settings.problem.message);
  const leaves = listLeaves();
  const rows = leaves.map((leaf) => describeRow(leaf, settings.value));
  const { files, held } = settings.value;
  const heldWords =
    held.length === 0 ? '' : `\n${held.length} inactive until you trust this repository: cadre trust`;
  const query = at?.query ?? '';
  const row = rows.findIndex(({ value }) => value === at?.key);
  desk.open({
    kind: 'pick',
    title: `Settings\nRead from ${files.length > 0 ? files.join(', ') : 'no file yet: all have their defaults'}${heldWords}`,
    rows,
    selected: query === '' ? Math.max(0, row) : 0,
    ...(query === '' ? {} : { query }),
    verb: 'changes it',
    staysOpen: true,
    ...(said === undefined ? {} : { said }),
    actions: [{ key: 'x', does: 'back to the default', isForRow: true, run: (row) => void reset(desk, row) }],
    pick: ({ value }) => {
      const leaf = leaves.find(({ key }) => key === value);
      if (leaf) void change(desk, leaf, settings.value);
    },
  });
}

export function describeRow(leaf: Leaf, settings: LoadedSettings): PickRow {
  const { key, setting, kind } = leaf;
  const value = readValue(leaf, settings);
  const usual = describeDefault(setting);
  const origin = findOrigin(leaf, settings);
  const isSet = value !== undefined && origin !== undefined;
  const destination = chooseDestination(leaf, isSet ? origin : undefined);
  const fixed = 'refused' in destination ? destination.refused : undefined;
  return {
    value: key,
    label: key,
    note: `${isSet ? describeValue(value) : usual}${isSet && origin.layer === 'managed' ? ' (managed)' : ''}`,
    preview: [
      key,
      describeWords(setting.about),
      '',
      `Value:   ${isSet ? describeValue(value) : `${usual} (default)`}`,
      ...(isSet ? [`From:    ${origin.layer}, ${origin.file}`, `Default: ${usual}`] : []),
      ...(setting.flag === undefined ? [] : [`Flag:    ${setting.flag}`]),
      ...(setting.variables ? [`Env:     ${setting.variables.names.join(', ')}`] : []),
      ...(kind.type === 'choice' ? [`One of:  ${kind.words.join(', ')}`] : []),
      ...(kind.type === 'elsewhere' ? ['', `Changed with ${kind.command}.`] : []),
      ...(fixed === undefined ? [] : ['', fixed]),
    ].join('\n'),
  };
}

/** The row and the search that the user comes back to. */
function findPlace(desk: Desk, { key }: Leaf): At {
  const { panel } = desk.app.state;
  const query = panel?.kind === 'pick' ? panel.query : undefined;
  return { key, ...(query === undefined ? {} : { query }) };
}

async function change(desk: Desk, leaf: Leaf, settings: LoadedSettings): Promise<void> {
  const { key, setting, kind } = leaf;
  const at = findPlace(desk, leaf);
  const { panel } = desk.app.state;
  if (kind.type === 'elsewhere') return openSettings(desk, `${key} is changed with ${kind.command}.`, at);
  if (kind.type === 'list' || kind.type === 'map')
    return openItems(desk, leaf, kind, { back: (said) => openSettings(desk, said, at) });
  const destination = chooseDestination(leaf, findOrigin(leaf, settings));
  if ('refused' in destination) return openSettings(desk, destination.refused, at);
  const now = readValue(leaf, settings) ?? setting.usual;
  const under = panel ? { under: panel } : {};
  const save = async (value: unknown): Promise<string | undefined> => {
    const saved = await saveValue(desk, leaf, destination.layer, () => value);
    if (!saved.ok) return saved.problem.message;
    const what = value === undefined ? `${key} has its default` : `${key}: ${describeValue(value)}`;
    await openSettings(desk, await describeSaved(desk, leaf, saved, what), at);
    return undefined;
  };
  const saveOrSay = async (value: unknown) => {
    const problem = await save(value);
    if (problem !== undefined) await openSettings(desk, problem, at);
  };
  if (kind.type === 'boolean') return saveOrSay(now !== true);
  if (kind.type === 'choice')
    return desk.open({
      kind: 'pick',
      title: key,
      rows: kind.words.map((word) => ({ value: word, label: word, isCurrent: word === now })),
      selected: Math.max(0, kind.words.indexOf(String(now))),
      ...under,
      pick: ({ value }) => void saveOrSay(value),
    });
  const about = describeWords(setting.about);
  desk.open({
    kind: 'field',
    title: key,
    about: `${about}\nEmpty: the default (${describeDefault(setting)})${kind.type === 'text' && kind.orOff ? '; off: none' : ''}`,
    placeholder: describeDefault(setting),
    editor: createEditor(now === undefined ? '' : describeValue(now)),
    ...under,
    save: (text) => save(readTyped(text, kind)),
  });
}

/** Nothing is the default, never 0. */
export function readTyped(text: string, kind: Leaf['kind']): unknown {
  const typed = text.trim();
  if (typed === '') return undefined;
  if (kind.type === 'number') return Number.isNaN(Number(typed)) ? typed : Number(typed);
  return kind.type === 'text' && kind.orOff && typed === 'off' ? false : typed;
}

async function reset(desk: Desk, row: PickRow | undefined): Promise<void> {
  const settings = await settingsNow(desk);
  const leaf = listLeaves().find(({ key }) => key === row?.value);
  if (!leaf || !settings.ok) return;
  const at = findPlace(desk, leaf);
  const destination = chooseReset(leaf, findOrigin(leaf, settings.value), findSurroundings(desk));
  if ('refused' in destination) return openSettings(desk, destination.refused, at);
  const saved = await saveValue(desk, leaf, destination.layer, () => undefined);
  await openSettings(desk, await describeSaved(desk, leaf, saved, `${leaf.key} removed`), at);
}
