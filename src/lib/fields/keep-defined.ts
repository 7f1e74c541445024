/** An object without its undefined fields, for objects that are spread over others. */
export function keepDefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}
