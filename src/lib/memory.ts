/**
 * Gives back what is not used any more, now. For whoever throws much away at once: the runtime would let tens of megabytes
 * gather before it looks.
 */
export function collectGarbage(): void {
  if (typeof Bun !== 'undefined') Bun.gc(true);
}
