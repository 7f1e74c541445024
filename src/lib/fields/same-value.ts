/** Whether two values are the same as JSON: the order of fields does not count, nor does a field that is undefined. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(orderFields(one)) === JSON.stringify(orderFields(other));
}

/** The same text for the same value, whatever the order of its fields. */
export function orderFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(orderFields);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, orderFields(inner)]);
  // An object is not an array of its fields.
  return { fields };
}
