/** A value that has the wrong type, for a message. */
export function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  if (typeof value === 'number') return Number.isInteger(value) ? `the number ${value}` : 'a fraction';
  return typeof value === 'boolean' ? String(value) : 'nothing';
}
