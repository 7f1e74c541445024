import { renderValue } from '../../lib/fields/describe-value.ts';
import { hashBytes } from '../../lib/hash.ts';

/**
 * A privileged part of a repository: it would run a program, send data somewhere or allow something without
 * asking. Parts that only narrow are never in a piece, and work without trust.
 */
export interface TrustPiece {
  kind: TrustKind;
  /** From the repository's root. */
  file: string;
  /** Which part of the file, where it holds several. */
  name?: string;
  /** Everything that would take effect, as JSON. */
  content: unknown;
  /** The target of a link out of the repository. Such a piece never takes effect. */
  leadsTo?: string;
}

export type TrustKind =
  | 'settings'
  | 'mcp-server'
  | 'agent'
  | 'sub-agent'
  | 'command'
  | 'skill'
  | 'workflow'
  | 'git-filter';

/** One line of a piece's content. */
export interface TrustEntry {
  key: string;
  /** Complete and unescaped: show it only through `visible`. */
  value: string;
}

const maxDepth = 100;
const maxKeyLength = 1000;

/**
 * The hash that trust is bound to. White space, comments and key order are ignored; list order is not. Undefined for
 * content nested too deep: it cannot be trusted.
 */
export function hashPiece({ kind, file, name, content }: TrustPiece): string | undefined {
  const text = canonical([kind, file, name ?? null, content], 0);
  return text === undefined ? undefined : hashBytes(`cadre-trust 1\n${text}`);
}

function canonical(value: unknown, depth: number): string | undefined {
  if (depth > maxDepth) return undefined;
  if (typeof value !== 'object' || value === null) return scalar(value);
  const items = Array.isArray(value)
    ? value.map((item) => canonical(item, depth + 1))
    : Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, item]) => join(JSON.stringify(key), canonical(item, depth + 1)));
  if (items.includes(undefined)) return undefined;
  return Array.isArray(value) ? `[${items.join(',')}]` : `{${items.join(',')}}`;
}

function join(key: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${key}:${text}`;
}

/** YAML has numbers that JSON lacks. */
function scalar(value: unknown): string {
  const isOdd = value === undefined || typeof value === 'bigint' || value === Infinity || value === -Infinity;
  return isOdd || Number.isNaN(value) ? JSON.stringify(`\0${value}`) : JSON.stringify(value);
}

/** The content line by line, for users: `permissions.allow` and its rule, `hooks.Stop[0].command` and its command. */
export function listPieceEntries(piece: TrustPiece): TrustEntry[] {
  const entries: TrustEntry[] = [];
  flatten(piece.content, '', 0, entries);
  return entries;
}

function flatten(value: unknown, key: string, depth: number, entries: TrustEntry[]): void {
  if (depth > maxDepth) return void entries.push({ key, value: '… nested too deeply to show' });
  if (typeof value !== 'object' || value === null) return void entries.push({ key, value: plain(value) });
  if (Object.keys(value).length === 0)
    return void entries.push({ key, value: Array.isArray(value) ? '[]' : '{}' });
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      flatten(item, typeof item === 'object' ? `${key}[${index}]` : key, depth + 1, entries);
    return;
  }
  for (const [name, item] of Object.entries(value))
    flatten(item, cutKey(key === '' ? name : `${key}.${name}`), depth + 1, entries);
}

/** A long name before many others would be repeated in each of them. */
function cutKey(key: string): string {
  return key.length > maxKeyLength ? `${key.slice(0, maxKeyLength)}…` : key;
}

function plain(value: unknown): string {
  return renderValue(value);
}

/** Short, since it only tells which lines are new; it grants nothing. */
export function hashEntry({ key, value }: TrustEntry): string {
  return hashBytes(`${key}\0${value}`).slice(0, 16);
}
