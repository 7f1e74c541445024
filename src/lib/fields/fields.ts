import { nearNames } from '../text/near-names.ts';

/** Fields of a file under our names. */
export interface Fields {
  values: ReadonlyMap<string, unknown>;
  /** The spelling that was used, for messages and lines. */
  written: ReadonlyMap<string, string>;
  /** An unknown field that was most likely meant as one that limits what the file grants. */
  misspelt?: { field: string; meant: string };
  notes: string[];
}

/** The fields of one kind of file: our names, and their aliases in lower case without `-` and `_`. */
export interface FieldTable {
  ours: ReadonlySet<string>;
  byFolded: ReadonlyMap<string, string>;
  /** Fields that limit what the file grants: one that is misspelt would limit nothing. */
  limits: ReadonlySet<string>;
}

/** Each row: our name, then other names for it, folded. `max_turns`, `max-turns` and `maxTurns` are equal anyway. */
export function fieldTable(rows: readonly (readonly string[])[], limits: readonly string[] = []): FieldTable {
  const pairs = rows.flatMap(([name = '', ...others]) =>
    [foldField(name), ...others].map((alias) => [alias, name] as const),
  );
  return { ours: new Set(pairs.map(([, name]) => name)), byFolded: new Map(pairs), limits: new Set(limits) };
}

/** Maps fields to our names. An unknown one is ignored with a note, unless it seems to mean a field that limits the file. */
export function sortFields(data: Readonly<Record<string, unknown>>, table: FieldTable): Fields {
  const values = new Map<string, unknown>();
  const written = new Map<string, string>();
  const notes: string[] = [];
  const unknown: string[] = [];
  const keys = Object.keys(data);
  // Our own spelling first, so that it wins over a variant beside it.
  const ours = keys.filter((key) => table.ours.has(key));
  for (const key of ours.length === keys.length
    ? ours
    : [...ours, ...keys.filter((key) => !table.ours.has(key))]) {
    const name = table.ours.has(key) ? key : table.byFolded.get(foldField(key));
    if (name === undefined) unknown.push(key.slice(0, 60));
    else if (values.has(name)) notes.push(`${key} is ignored because ${written.get(name)} is also set`);
    else {
      values.set(name, data[key]);
      written.set(name, key);
    }
  }
  if (unknown.length > 0)
    notes.push(
      `${unknown.slice(0, 10).join(', ')}: unknown field, or not supported by this version; ignored`,
    );
  const misspelt = unknown.map((key) => findMeantLimit(key, table, values)).find((found) => found);
  return { values, written, notes, ...(misspelt ? { misspelt } : {}) };
}

/** The limit that an unknown field means: as long but for a letter, and not given beside it. */
function findMeantLimit(
  key: string,
  { limits, byFolded }: FieldTable,
  values: ReadonlyMap<string, unknown>,
): Fields['misspelt'] {
  if (limits.size === 0) return undefined;
  const typed = foldField(key);
  const names = [...byFolded].filter(([, name]) => limits.has(name)).map(([alias]) => alias);
  const near = nearNames(typed, names).find((name) => Math.abs(name.length - typed.length) <= 1);
  const meant = near === undefined ? undefined : byFolded.get(near);
  return meant === undefined || values.has(meant) ? undefined : { field: key, meant };
}

/** Without undefined values. In one pass: there may be hundreds of files, with dozens of fields each. */
export function defined<T extends object>(fields: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const kept: { [Key in keyof T]?: Exclude<T[Key], undefined> } = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) kept[key] = value as Exclude<T[typeof key], undefined>;
  }
  return kept;
}

function foldField(key: string): string {
  return key.toLowerCase().replace(/[-_]/g, '');
}
