/** A value that has the wrong type, for a message. */
export function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number that is too large';
  if (typeof value === 'number') return Number.isInteger(value) ? `the number ${value}` : 'a fraction';
  return typeof value === 'boolean' ? String(value) : 'nothing';
}

/**
 * Any value as text, for a message or a comparison. `String` runs code of the value, and fails for an object without a
 * prototype and for one whose `toString` is a field that a file or peer gave it.
 */
export function renderValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? (JSON.stringify(value) ?? '') : String(value);
}

/** Fields for a person, a line each: lists item by item, what is inside of something indented below it. */
export function formatFields(fields: Readonly<Record<string, unknown>>): string {
  return formatEntries(Object.entries(fields), 0).join('\n');
}

function formatEntries(entries: readonly (readonly [string, unknown])[], depth: number): string[] {
  return entries.flatMap(([name, value]) => formatField(`${name}:`, value, depth));
}

function formatField(head: string, value: unknown, depth: number): string[] {
  const indent = '  '.repeat(depth);
  if (typeof value !== 'object' || value === null) return [`${indent}${head} ${String(value)}`];
  const isEmpty = Object.keys(value).length === 0;
  if (isEmpty || depth >= maxDepth) return [`${indent}${head} ${isEmpty ? 'none' : JSON.stringify(value)}`];
  const inner = Array.isArray(value)
    ? value.flatMap((item: unknown) => formatField('-', item, depth + 1))
    : formatEntries(Object.entries(value), depth + 1);
  return [`${indent}${head}`, ...inner];
}

const maxDepth = 8;
