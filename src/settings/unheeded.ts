import { nearNames } from '../lib/text/near-names.ts';
import { visibleLine } from '../lib/text/text.ts';
import { isSection, type SettingsTable } from './table/setting.ts';

/** A key of a settings file that has no effect, where the user may rely on it. */
export interface UnheededKey {
  file: string;
  key: string;
  /** The key that it resembles. */
  meant?: string;
  /** Of a known key: the part of its value that has no effect, and why. */
  ignored?: string;
  /** A key of Claude Code whose effect is missing here so far. */
  isForeign?: true;
}

/**
 * Keys of the top level that the user should know to be without effect. Files of other products hold many keys that mean
 * nothing here; one that resembles a key of ours is most likely misspelt, and one that belongs in a section misplaced.
 */
export function listUnheeded(table: SettingsTable, content: object): Omit<UnheededKey, 'file'>[] {
  return Object.entries(content).flatMap(([key, value]): Omit<UnheededKey, 'file'>[] => {
    if (Object.hasOwn(table, key)) return [];
    if (foreignKeys.has(key)) return isAsked(value) ? [{ key, isForeign: true }] : [];
    const meant =
      findMisplaced(key, table) ?? findByFlag(key, table) ?? findMeantKey(key, Object.keys(table));
    return meant === undefined ? [] : [{ key, meant }];
  });
}

/** A typo, not another word: `allowUnixSockets` is not `allowAllUnixSockets`. */
export function findMeantKey(key: string, known: readonly string[]): string | undefined {
  if (key.length < 4) return undefined;
  // `permision` lacks two letters of `permissions`.
  const maxGap = key.length > 7 ? 2 : 1;
  const near = nearNames(key, known).find((name) => Math.abs(name.length - key.length) <= maxGap);
  // `maxBudget` is the beginning of `maxBudgetUsd`.
  return near ?? known.find((name) => key.length > 5 && name.startsWith(key));
}

/** `disallowedTools`, by which the command line knows `permissions.deny`. */
function findByFlag(key: string, table: SettingsTable, path = ''): string | undefined {
  for (const [name, entry] of Object.entries(table)) {
    const isMeant = !isSection(entry) && entry.flag && plainName(entry.flag) === plainName(key);
    if (isMeant) return path + name;
    const inside = isSection(entry) ? findByFlag(key, entry.section, `${path}${name}.`) : undefined;
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function plainName(written: string): string {
  return written.replace(/[-_]/g, '').toLowerCase();
}

/** `deny` beside `permissions` instead of in it. */
function findMisplaced(key: string, table: SettingsTable): string | undefined {
  const home = Object.entries(table).find(
    ([, entry]) => isSection(entry) && entry.guards && Object.hasOwn(entry.section, key),
  );
  return home && `${home[0]}.${key}`;
}

/** In sentences for people: one for each misspelt key, one for all foreign ones of a file. */
export function describeUnheeded(unheeded: readonly UnheededKey[]): string[] {
  const files = new Map<string, string[]>();
  for (const { file, key, isForeign } of unheeded)
    if (isForeign) files.set(file, [...(files.get(file) ?? []), key]);
  return [
    ...unheeded.filter(({ isForeign }) => !isForeign).map(describeOne),
    ...[...files].map(([file, keys]) => `These settings have no effect yet: ${keys.join(', ')} (${file}).`),
  ];
}

function describeOne({ key, file, meant, ignored }: UnheededKey): string {
  if (ignored !== undefined) return `${key} (${file}): ${visibleLine(ignored, 500)}.`;
  return `Unknown setting ${key} (${file}) is ignored.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
}

/** Off or empty asks for nothing. */
function isAsked(value: unknown): boolean {
  if (value === false || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** Claude Code's keys that change what a session does, or limit it, and that have no effect here. */
const foreignKeys: ReadonlySet<string> = new Set([
  ...['agent', 'alwaysThinkingEnabled', 'apiKeyHelper', 'attribution', 'availableModels', 'awsAuthRefresh'],
  ...['awsCredentialExport', 'blockedMarketplaces', 'effort', 'effortLevel', 'enabledPlugins'],
  ...['extraKnownMarketplaces', 'fileSuggestion', 'forceLoginMethod', 'forceLoginOrgUUID'],
  ...['allowManagedMcpServersOnly', 'allowManagedPermissionRulesOnly', 'httpHookAllowedEnvVars'],
  ...['includeCoAuthoredBy', 'language', 'otelHeadersHelper', 'outputStyle', 'pluginConfigs', 'plugins'],
  ...['respectGitignore', 'skillOverrides', 'skipWebFetchPreflight', 'strictKnownMarketplaces'],
]);
