import type { ValueForm } from '../../lib/form/form.ts';
import type { Rule } from '../../protocol/permission.ts';
import type { SettingsLookup, SettingsPlace } from '../places.ts';

/** Built when a file has the setting. */
export type Check<Written> = () => ValueForm<Written>;

/** One layer during merging: its source and the rest of its content. */
export interface LayerContext {
  place: SettingsPlace;
  options: SettingsLookup;
  /** The whole file, checked. */
  content: Readonly<Record<string, unknown>>;
  rules: readonly Rule[];
  /** Why the file is held. Absent if it applies. */
  held?: { leadsTo?: string };
}

/** How the layers become one value. Layers come highest first. */
export interface Merging<Written, Merged> {
  start(): Merged;
  add(before: Merged, written: Written, layer: LayerContext): Merged;
  /** Names of parts that may come from different files, such as the variables of `env`. */
  listParts?(merged: Merged): readonly string[];
}

/** The effect of a setting in a repository's file. Absent: none until the user trusts the file. */
export interface FromRepository<Written> {
  /** It only restricts: it takes effect without trust, and trust does not ask about it. */
  narrows?(written: Written): boolean;
  /** It takes effect without trust, and trust shows it. */
  tightens?(written: Written): boolean;
  /** It never takes effect. */
  refuses?(written: Written): boolean;
  /** An empty list has a meaning too: nothing is allowed. */
  evenEmpty?: true;
  /** No notice reports the refusal. */
  quietly?: true;
  /** Merged although held, for lists that show held settings. */
  listed?: true;
}

/** Environment variables for the same setting. The first that is set and not empty is read. */
export interface SettingVariables<Written> {
  names: readonly string[];
  /** Undefined if the text does not set anything. */
  read(text: string): Written | undefined;
  /** The form of a valid value, and what happens to an invalid one. */
  expected?: string;
  fits?(text: string): boolean;
  /** Settings files go before it; without this it goes before them. */
  below?: true;
}

export interface SettingFacts<Written> {
  /** Its description, for the table in docs/settings.md. */
  about: string;
  /** The default. */
  usual?: Written;
  /** The default in words, if it is not a value. */
  otherwise?: string;
  /** The flag for the same setting. */
  flag?: string;
  variables?: SettingVariables<Written>;
  repository?: FromRepository<Written>;
  /** Part of a value that this version does not act on, and why: a clause for the user. */
  ignores?(written: Written): string | undefined;
}

/** The definition of one key of a settings file. Methods, so settings of all types fit in one table. */
export interface Setting<Written = unknown, Merged = unknown> extends SettingFacts<Written> {
  check(): ValueForm<Written>;
  merging: Merging<Written, Merged>;
  /** The keys of a value that is merged as a whole. */
  members?: SettingsTable;
}

/** Settings under one key, each merged separately. */
export interface Section<Members extends SettingsTable = SettingsTable> {
  section: Members;
  /** Keys here protect the user, so an unknown one is reported: the user must not rely on it. */
  guards?: true;
}

export interface SettingsTable {
  readonly [key: string]: Setting | Section;
}

export function isSection(entry: Setting | Section): entry is Section {
  return 'section' in entry;
}

/** A setting that has a default. */
export type Usual<Facts, Written> = Facts extends { usual: unknown } ? { usual: Written } : unknown;

/** The value of a settings file under this key, after checking. */
export type Written<Entry> = Entry extends { check(): ValueForm<infer Value> }
  ? Value
  : Entry extends { section: infer Members }
    ? WrittenTable<Members>
    : never;

export type WrittenTable<Table> = { -readonly [Key in keyof Table]?: Written<Table[Key]> | undefined };

type Merged<Entry> = Entry extends { merging: { start(): infer Value } }
  ? Value
  : Entry extends { section: infer Members }
    ? MergedTable<Members>
    : never;

type OptionalKeys<Table> = {
  [Key in keyof Table]: undefined extends Merged<Table[Key]> ? Key : never;
}[keyof Table];

/** All layers in one: keys that no layer sets are absent, lists and maps are empty. */
export type MergedTable<Table> = {
  -readonly [Key in Exclude<keyof Table, OptionalKeys<Table>>]: Merged<Table[Key]>;
} & { -readonly [Key in OptionalKeys<Table>]?: Merged<Table[Key]> };

type UsualKeys<Table> = {
  [Key in keyof Table]: Table[Key] extends { usual: unknown } ? Key : never;
}[keyof Table];

/** A section with its defaults filled in. */
export type FilledTable<Table> = { -readonly [Key in UsualKeys<Table>]: Written<Table[Key]> } & {
  -readonly [Key in Exclude<keyof Table, UsualKeys<Table>>]?: Written<Table[Key]> | undefined;
};
