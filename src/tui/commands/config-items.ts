import { isRecord } from '../../lib/fields/field-values.ts';
import { findSavedLayer, type SavedLayer } from '../../settings/change-settings.ts';
import { listWritten, type WrittenValue } from '../../settings/written.ts';
import type { Desk } from '../desk.ts';
import { createEditor } from '../editor/index.ts';
import type { PickRow } from '../state.ts';
import { chooseLayer } from './choose-layer.ts';
import { describeSaved, saveValue } from './config-save.ts';
import { describeWords, formatItem, type Kind, type Leaf, parseItem } from './config-values.ts';
import { findSurroundings, lookupNow } from './places.ts';

type ItemsKind = Extract<Kind, { type: 'list' | 'map' }>;

/** One entry of a list, or of values by name, in one file. */
export interface Item {
  /** `NAME=value` where there are names. */
  readonly text: string;
  readonly file: string;
  /** Undefined: a file that Cadre does not write. */
  readonly layer: SavedLayer | undefined;
}

interface Way {
  back(said?: string): Promise<void>;
}

/** The entries of all files, each with its file. */
export async function openItems(
  desk: Desk,
  leaf: Leaf,
  kind: ItemsKind,
  way: Way,
  said?: string,
): Promise<void> {
  const written = listWritten(lookupNow(desk), leaf.path);
  if (!written.ok) return way.back(written.problem.message);
  const around = findSurroundings(desk);
  const items = listItems(written.value, (file) => findSavedLayer(around, file));
  const rows = items.map(({ text, file, layer }, index): PickRow => {
    const fixed = layer === undefined ? 'Cadre does not write this file: change it there.' : '';
    return { value: String(index), label: text, note: file, preview: [text, '', file, fixed].join('\n') };
  });
  const refuse = ({ file }: Item) =>
    openItems(desk, leaf, kind, way, `Cadre does not write ${file}: change it there.`);
  const add = () => {
    const { panel } = desk.app.state;
    chooseLayer(desk, `Where does the new entry of ${leaf.key} apply?`, panel, (layer) =>
      typeItem(desk, leaf, kind, way, { layer }),
    );
  };
  desk.open({
    kind: 'pick',
    title: `${leaf.key}\n${describeWords(leaf.setting.about)}`,
    rows,
    selected: 0,
    empty: 'No entries yet. ctrl-n adds one.',
    verb: 'changes it',
    staysOpen: true,
    ...(said === undefined ? {} : { said }),
    goBack: () => void way.back(),
    actions: [
      { key: 'n', does: 'adds an entry', isForRow: false, run: add },
      {
        key: 'x',
        does: 'removes it',
        isForRow: true,
        run: (row) => {
          const item = items[Number(row?.value)];
          if (item) void (item.layer ? removeItem(desk, leaf, kind, way, item, item.layer) : refuse(item));
        },
      },
    ],
    pick: ({ value }) => {
      const item = items[Number(value)];
      if (!item) return;
      if (item.layer) typeItem(desk, leaf, kind, way, { layer: item.layer, before: item.text });
      else void refuse(item);
    },
  });
}

export function listItems(
  written: readonly WrittenValue[],
  findLayer: (file: string) => SavedLayer | undefined,
): Item[] {
  return written.flatMap(({ file, value }) => {
    const texts = Array.isArray(value) ? value.map(formatItem) : isRecord(value) ? formatNamed(value) : [];
    return texts.map((text) => ({ text, file, layer: findLayer(file) }));
  });
}

function formatNamed(value: Record<string, unknown>): string[] {
  return Object.entries(value).map(([name, inner]) => `${name}=${formatItem(inner)}`);
}

function typeItem(
  desk: Desk,
  leaf: Leaf,
  kind: ItemsKind,
  way: Way,
  { layer, before = '' }: { layer: SavedLayer; before?: string },
): void {
  const { panel } = desk.app.state;
  const form = describeForm(kind);
  desk.open({
    kind: 'field',
    title: before === '' ? `New entry of ${leaf.key}` : `Change an entry of ${leaf.key}`,
    ...(form === '' ? {} : { about: `Written as ${form}` }),
    placeholder: form,
    editor: createEditor(before),
    ...(panel ? { under: panel } : {}),
    save: async (text) => {
      if (text === '') return 'Type a value, or go back with esc.';
      const change = editItems(kind, before, text);
      if (!change) return `Write it as ${form}.`;
      const saved = await saveValue(desk, leaf, layer, change);
      if (!saved.ok) return [saved.problem.message, saved.problem.hint].filter(Boolean).join(' ');
      await openItems(desk, leaf, kind, way, await describeSaved(desk, leaf, saved, text));
      return undefined;
    },
  });
}

function describeForm({ type, fields }: ItemsKind): string {
  const value = fields
    ? Object.keys(fields)
        .map((name) => `${name} …`)
        .join(', ')
    : type === 'map'
      ? 'value'
      : '';
  return type === 'map' ? `NAME=${value}` : value;
}

/** The change of the file's value that puts `after` in the place of `before`. Undefined if the text does not fit. */
export function editItems(
  { type, fields }: ItemsKind,
  before: string,
  after: string,
): ((value: unknown) => unknown) | undefined {
  const split = after.indexOf('=');
  if (type === 'map' && split < 1) return undefined;
  const item = parseItem(type === 'map' ? after.slice(split + 1).trim() : after, fields);
  if (item === undefined) return undefined;
  if (type === 'map') {
    const name = after.slice(0, split).trim();
    return (value) => ({ ...withoutNamed(value, before), [name]: item });
  }
  return (value) => {
    const list = Array.isArray(value) ? value : [];
    const at = list.findIndex((one) => before !== '' && formatItem(one) === before);
    return at === -1 ? [...list, item] : list.toSpliced(at, 1, item);
  };
}

function withoutNamed(value: unknown, text: string): Record<string, unknown> {
  const entries = Object.entries(isRecord(value) ? value : {});
  return Object.fromEntries(entries.filter(([name, inner]) => `${name}=${formatItem(inner)}` !== text));
}

async function removeItem(
  desk: Desk,
  leaf: Leaf,
  kind: ItemsKind,
  way: Way,
  { text }: Item,
  layer: SavedLayer,
): Promise<void> {
  const saved = await saveValue(desk, leaf, layer, (value) =>
    Array.isArray(value) ? value.filter((one) => formatItem(one) !== text) : withoutNamed(value, text),
  );
  await openItems(desk, leaf, kind, way, await describeSaved(desk, leaf, saved, `Removed ${text}`));
}
