import type { FormSchema } from '../../src/lib/form/form.ts';
import { isSection, type Setting, type SettingsTable } from '../../src/settings/table/setting.ts';
import { settingsTable } from '../../src/settings/table/settings.ts';
import { renderTable } from './markdown.ts';

/** The table of all settings for docs/settings.md. */
export function renderSettings(): string {
  const rows = listSettings(settingsTable).map(({ path, setting }) => [
    `\`${path}\``,
    describeKind(setting),
    describeDefault(setting),
    setting.flag ? `\`${setting.flag}\`` : '',
    describeVariables(setting),
    describeRepository(setting),
    setting.about,
  ]);
  return renderTable(['key', 'value', 'default', 'flag', 'environment', 'in a repository', 'meaning'], rows);
}

export interface ListedSetting {
  path: string;
  setting: Setting;
}

/** Every setting with its key, parts of objects included. */
export function listSettings(table: SettingsTable, prefix = ''): ListedSetting[] {
  return Object.entries(table).flatMap(([key, entry]): ListedSetting[] => {
    const path = prefix + key;
    if (isSection(entry)) return listSettings(entry.section, `${path}.`);
    // Parts of an object that is merged as a whole need trust as the whole does.
    return [{ path, setting: entry }, ...listSettings(entry.members ?? {}, `${path}.`)];
  });
}

function describeDefault({ usual, otherwise }: Setting): string {
  if (otherwise !== undefined) return otherwise;
  if (usual === undefined) return 'none';
  return typeof usual === 'number' ? usual.toLocaleString('en') : `\`${usual}\``;
}

function describeVariables({ variables }: Setting): string {
  if (!variables) return '';
  const names = variables.names.map((name) => `\`${name}\``).join(', ');
  return variables.below ? `${names}, below the files` : names;
}

/** Tried out with every value that may matter, so that the page says what the rules do. */
function describeRepository(setting: Setting): string {
  const { enum: words } = readSchema(setting);
  const values: readonly unknown[] = words ?? [true, false, []];
  const verdicts = Map.groupBy(values, (value) => judge(setting.repository, value));
  if (verdicts.size === 1) return [...verdicts.keys()].join('');
  return [...verdicts]
    .filter(([verdict]) => verdict !== 'after trust')
    .map(([verdict, given]) => `${given.map((value) => `\`${value}\``).join(', ')} ${verdict}`)
    .join('; ');
}

function judge(repository: Setting['repository'], value: unknown): string {
  if (repository?.refuses?.(value)) return 'ignored';
  return repository?.narrows?.(value) || repository?.tightens?.(value) ? 'at once' : 'after trust';
}

function describeKind(setting: Setting): string {
  return describeSchema(readSchema(setting));
}

function readSchema(setting: Setting): FormSchema {
  return setting.check().toJSONSchema();
}

function describeSchema(schema: FormSchema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(describeSchema))].join(' or ');
  if (schema.enum) return schema.enum.map((word) => `\`${word}\``).join(', ');
  if (schema.type === 'array') return describeList(schema.items ?? {});
  if (schema.type === 'integer' || schema.type === 'number') return describeNumber(schema);
  return { boolean: '`true` or `false`', string: 'string' }[String(schema.type)] ?? 'object';
}

function describeList(item: FormSchema): string {
  return item.type === 'string' ? 'list of strings' : 'list of objects';
}

function describeNumber({ type, minimum, exclusiveMinimum, maximum }: FormSchema): string {
  const kind = type === 'integer' ? 'whole number' : 'number';
  const lowest = exclusiveMinimum === undefined ? ` from ${minimum}` : ` above ${exclusiveMinimum}`;
  const isBounded = maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER;
  return `${kind}${lowest}${isBounded ? ` to ${maximum.toLocaleString('en')}` : ''}`;
}
