/**
 * Frees unused memory now. For callers that discard much at once: the runtime would let tens of megabytes accumulate first.
 */
export function collectGarbage(): void {
  if (typeof Bun !== 'undefined') Bun.gc(true);
}
