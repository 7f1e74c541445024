/** `1 line`, `2 lines`. */
export function countThings(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
