import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findOwned } from '../lib/process.ts';
import { isClaimed } from './owner.ts';

/** A session whose process is gone, with what of it still runs. */
export interface Leftover {
  sessionId: string;
  pids: number[];
}

/** Sessions that were open when their process was killed. */
export function findDead(home: string): string[] {
  return claims(home).filter((sessionId) => !isClaimed(home, sessionId));
}

/** What the next start would clear up. Looks only. */
export function findLeftovers(home: string): Leftover[] {
  return findDead(home).map((sessionId) => ({
    sessionId,
    pids: findOwned({ owner: sessionId }).map(({ pid }) => pid),
  }));
}

function claims(home: string): string[] {
  try {
    const names = readdirSync(join(home, 'running'));
    return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length));
  } catch {
    return [];
  }
}
