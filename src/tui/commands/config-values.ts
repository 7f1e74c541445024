import { isRecord } from '../../lib/fields/field-values.ts';
import type { FormSchema } from '../../lib/form/form.ts';
import type { LoadedSettings, SettingOrigin } from '../../settings/load.ts';
import { isSection, type Setting, type SettingsTable } from '../../settings/table/setting.ts';
import { settingsTable } from '../../settings/table/settings.ts';

/** One setting, as a person changes it. */
export interface Leaf {
  readonly key: string;
  readonly path: readonly string[];
  readonly setting: Setting;
  readonly kind: Kind;
}

export type Kind =
  | { readonly type: 'boolean' }
  | { readonly type: 'choice'; readonly words: readonly string[] }
  | { readonly type: 'number' }
  /** `orOff`: a command, or none. */
  | { readonly type: 'text'; readonly orOff: boolean }
  | { readonly type: 'list'; readonly fields: ItemFields | undefined }
  /** Values by names that the user chooses. */
  | { readonly type: 'map'; readonly fields: ItemFields | undefined }
  /** Another command has a list for it. */
  | { readonly type: 'elsewhere'; readonly command: string };

/** The members of an item; without any it is text. */
export type ItemFields = Readonly<Record<string, 'number' | 'words' | 'text'>>;

const elsewhere: Readonly<Record<string, string>> = {
  'permissions.deny': '/permissions',
  'permissions.ask': '/permissions',
  'permissions.allow': '/permissions',
  mcpServers: '/mcp',
  hooks: '/hooks',
};

export function listLeaves(table: SettingsTable = settingsTable, path: readonly string[] = []): Leaf[] {
  return Object.entries(table).flatMap(([name, entry]): Leaf[] => {
    const here = [...path, name];
    if (isSection(entry)) return listLeaves(entry.section, here);
    if (entry.members) return listLeaves(entry.members, here);
    const schema = entry.check().toJSONSchema();
    return expand(here, entry, schema);
  });
}

/** An object with fixed members is one setting for each of them. */
function expand(path: readonly string[], setting: Setting, schema: FormSchema): Leaf[] {
  const key = path.join('.');
  if (elsewhere[key] === undefined && schema.type === 'object' && schema.properties)
    return Object.entries(schema.properties).flatMap(([name, inner]) =>
      expand([...path, name], setting, inner),
    );
  return [{ key, path, setting, kind: classify(key, schema) }];
}

function classify(key: string, schema: FormSchema): Kind {
  const command = elsewhere[key];
  if (command !== undefined) return { type: 'elsewhere', command };
  if (Array.isArray(schema.enum)) return { type: 'choice', words: schema.enum.map(String) };
  const either = (schema.anyOf ?? []).map((one) => one.type);
  if (either.includes('boolean')) {
    const isCommand = (schema.anyOf ?? []).some((one) => one.const === false);
    return isCommand ? { type: 'text', orOff: true } : { type: 'boolean' };
  }
  if (schema.type === 'boolean') return { type: 'boolean' };
  if (schema.type === 'number' || schema.type === 'integer') return { type: 'number' };
  if (schema.type === 'array') return { type: 'list', fields: readFields(schema.items) };
  if (schema.type === 'object') return { type: 'map', fields: readFields(schema.additionalProperties) };
  return { type: 'text', orOff: false };
}

function readFields(item: unknown): ItemFields | undefined {
  const properties = isRecord(item) ? item.properties : undefined;
  if (!isRecord(properties)) return undefined;
  return Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => {
      const type = isRecord(inner) ? inner.type : undefined;
      return [name, type === 'number' ? 'number' : type === 'array' ? 'words' : 'text'];
    }),
  );
}

export function readValue({ path }: Leaf, settings: LoadedSettings): unknown {
  return path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), settings);
}

/** The file behind a value. Objects that are merged as a whole have one for all their members. */
export function findOrigin({ key, path }: Leaf, { origin }: LoadedSettings): SettingOrigin | undefined {
  for (let depth = path.length; depth > 0; depth--) {
    const found = origin.get(path.slice(0, depth).join('.'));
    if (found) return found;
  }
  return [...origin].find(([name]) => name.startsWith(`${key}.`))?.[1];
}

/** As a person would say it: lists by their items, objects by the names of their entries. */
export function describeValue(value: unknown): string {
  if (value === true) return 'on';
  if (value === false) return 'off';
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : value.map((item) => formatItem(item)).join(', ');
  if (isRecord(value)) {
    const names = Object.keys(value);
    return names.length === 0 ? 'none' : names.join(', ');
  }
  return String(value);
}

export function describeDefault({ usual, otherwise }: Setting): string {
  if (usual !== undefined) return describeValue(usual);
  return otherwise === undefined ? 'not set' : describeWords(otherwise);
}

/** The Markdown of the documentation as words; where it only refers to a page, nothing. */
export function describeWords(markdown: string): string {
  return markdown
    .replace(/; \[[^\]]*\]\([^)]*\)$/, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '');
}

/** `input 3, output 15`: what `parseItem` reads. */
export function formatItem(item: unknown): string {
  if (!isRecord(item)) return String(item);
  return Object.entries(item)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(' ') : String(value)}`)
    .join(', ');
}

/** Undefined if a member is missing its name or is not one of the fields. */
export function parseItem(text: string, fields: ItemFields | undefined): unknown {
  if (!fields) return text;
  const names = Object.keys(fields).join('|');
  const parts = text.split(new RegExp(`,\\s*(?=(?:${names})\\s)`)).map((part) => part.trim());
  const read = parts.map((part) => {
    const [name = '', ...rest] = part.split(/\s+/);
    const kind = fields[name];
    if (kind === undefined || rest.length === 0) return undefined;
    const value = rest.join(' ');
    return [name, kind === 'number' ? Number(value) : kind === 'words' ? rest : value] as const;
  });
  return read.includes(undefined) ? undefined : Object.fromEntries(read.filter((pair) => pair !== undefined));
}
