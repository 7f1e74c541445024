import { isRecord } from '../../lib/fields/field-values.ts';
import { form, type ValueForm } from '../../lib/form/form.ts';
import type {
  Check,
  LayerContext,
  Merging,
  Section,
  Setting,
  SettingFacts,
  SettingsTable,
  Usual,
  WrittenTable,
} from './setting.ts';

/** One value: the highest layer that has one wins. */
export function single<Written, Facts extends SettingFacts<Written>>(
  check: Check<Written>,
  facts: Facts & SettingFacts<NoInfer<Written>>,
): Setting<Written, Written | undefined> & Usual<Facts, Written> {
  // Only the caller's types know whether there is a default.
  return { ...facts, check, merging: highest<Written>() } as Setting<Written, Written | undefined> &
    Usual<Facts, Written>;
}

/** A list: the lists of all layers are joined. */
export function list<Item>(
  check: Check<Item>,
  facts: SettingFacts<NoInfer<Item>[]>,
  read: (items: Item[], layer: LayerContext) => Item[] = (items) => items,
): Setting<Item[], Item[]> {
  const merging: Merging<Item[], Item[]> = {
    start: () => [],
    add: (before, items, layer) => [...before, ...read(items, layer)],
  };
  return { ...facts, check: () => form.array(check()), merging };
}

/** An object with names that the user chooses: for each name the highest layer wins. */
export function map<Value>(
  check: Check<Value>,
  facts: SettingFacts<Record<string, NoInfer<Value>>>,
  name?: Check<string>,
): Setting<Record<string, Value>, Record<string, Value>> {
  const merging: Merging<Record<string, Value>, Record<string, Value>> = {
    start: () => ({}),
    add: joinNames,
    listParts: Object.keys,
  };
  return { ...facts, check: () => form.record(check(), name?.()), merging };
}

/** A switch that any layer can turn on and none can turn off again. */
export function once(facts: SettingFacts<boolean | 'disable'>): Setting<boolean | 'disable', boolean> {
  return {
    ...facts,
    check: () => form.union([form.enum(['disable']), form.boolean()]),
    merging: { start: () => false, add: (before, written) => before || Boolean(written) },
  };
}

/** A value with its own merge function. */
export function custom<Written, Merged>(
  check: Check<Written>,
  merging: Merging<NoInfer<Written>, Merged>,
  facts: SettingFacts<NoInfer<Written>>,
): Setting<Written, Merged> {
  return { ...facts, check, merging };
}

/** An object that is merged as a whole: the highest layer that has it wins with all of it. */
export function whole<Members extends SettingsTable>(
  members: Members,
  facts: Pick<SettingFacts<unknown>, 'about' | 'otherwise'>,
): Setting<WrittenTable<Members>, WrittenTable<Members> | undefined> & { members: Members } {
  return {
    ...facts,
    members,
    // The shape is built from the members at run time, which the compiler cannot follow.
    check: () => checkTable(members) as ReturnType<Check<WrittenTable<Members>>>,
    merging: highest(),
  };
}

export function section<Members extends SettingsTable>(
  members: Members,
  { guards }: { guards?: true } = {},
): Section<Members> {
  return { section: members, guards };
}

/** A section of limits: the user relies on each key. */
export function guarded<Members extends SettingsTable>(members: Members): Section<Members> {
  return section(members, { guards: true });
}

/**
 * The schema of an object with these keys. Other keys stay: files of other products must load. With `content` only the keys
 * that it has are built: building all of them was a tenth of the program's start.
 */
export function checkTable(
  table: SettingsTable,
  content?: Record<string, unknown>,
): ValueForm<Record<string, unknown>> {
  const shape = Object.entries(table)
    .filter(([key]) => !content || Object.hasOwn(content, key))
    .map(([key, entry]) => [key, checkEntry(entry, content?.[key]).optional()] as const);
  return form.looseObject(Object.fromEntries(shape));
}

function checkEntry(entry: Setting | Section, value: unknown): ValueForm<unknown> {
  if (!('section' in entry)) return entry.check();
  return checkTable(entry.section, isRecord(value) ? value : undefined);
}

export function highest<Written>(
  read: (written: Written, layer: LayerContext) => Written = (written) => written,
): Merging<Written, Written | undefined> {
  return {
    start: () => undefined,
    add: (before, written, layer) => (before === undefined ? read(written, layer) : before),
  };
}

function joinNames<Value>(
  before: Record<string, Value>,
  written: Record<string, Value>,
): Record<string, Value> {
  const joined = { ...before };
  // Not an assignment: a key named __proto__ must stay a key.
  for (const [name, value] of Object.entries(written))
    if (!Object.hasOwn(before, name))
      Object.defineProperty(joined, name, { value, enumerable: true, writable: true, configurable: true });
  return joined;
}
