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
