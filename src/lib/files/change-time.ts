import type { BigIntStats, Stats } from 'node:fs';

/** A clock's tick: what changes within one keeps its time. */
export const tickMs = 20;

/** Some file systems keep no more than that. */
export function isWholeSecond(time: number): boolean {
  return time % 1000 === 0;
}

/** Whether another change, from now on, would have another time than this last one. */
export function isSettled(ctimeMs: number, now = Date.now()): boolean {
  return Math.abs(now - ctimeMs) > (isWholeSecond(ctimeMs) ? 2000 : tickMs);
}

/**
 * What tells one state of an entry from another. Undefined where the entry may change and look the same: what was read
 * of it must not be remembered. To be taken before it is read.
 */
export function formatStamp(stat: Stats | BigIntStats): string | undefined {
  if (!isSettled(Number(stat.ctimeMs))) return undefined;
  const precise = 'ctimeNs' in stat ? `${stat.mtimeNs} ${stat.ctimeNs}` : `${stat.mtimeMs} ${stat.ctimeMs}`;
  return `${stat.dev} ${stat.ino} ${stat.size} ${precise}`;
}
