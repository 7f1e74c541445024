import type { BigIntStats, Stats } from 'node:fs';

/** One clock tick: changes within one have the same time. */
export const tickMs = 20;

/** Some file systems store only whole seconds. */
export function isWholeSecond(time: number): boolean {
  return time % 1000 === 0;
}

/** Whether any later change would have a different time than this last one. */
export function isSettled(ctimeMs: number, now = Date.now()): boolean {
  return Math.abs(now - ctimeMs) > (isWholeSecond(ctimeMs) ? 2000 : tickMs);
}

/**
 * Distinguishes one state of an entry from another. Undefined where the entry may change and look the same: data read from it
 * must not be cached. Take it before reading.
 */
export function formatStamp(stat: Stats | BigIntStats): string | undefined {
  if (!isSettled(Number(stat.ctimeMs))) return undefined;
  const precise = 'ctimeNs' in stat ? `${stat.mtimeNs} ${stat.ctimeNs}` : `${stat.mtimeMs} ${stat.ctimeMs}`;
  return `${stat.dev} ${stat.ino} ${stat.size} ${precise}`;
}
