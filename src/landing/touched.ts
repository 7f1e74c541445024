import { ok, type Result } from '../lib/result.ts';
import { type DeniedChange, openDenied } from './denied-paths.ts';
import { openProtected } from './protected-paths.ts';
import type { Ground } from './types.ts';

/** The files in which two commits differ that agents may not change, or from which other programs read code or settings. */
export interface Touched {
  protected: string[];
  denied: DeniedChange[];
}

export function openTouched(ground: Ground): (from: string, to: string) => Promise<Result<Touched>> {
  const findProtected = openProtected(ground);
  const findDenied = openDenied(ground);
  return async (from, to) => {
    const found = await findProtected(from, to);
    if (!found.ok) return found;
    const denied = await findDenied(from, to);
    return denied.ok ? ok({ protected: found.value, denied: denied.value }) : denied;
  };
}

export function listTouched({ protected: found, denied }: Touched): string[] {
  return [...found, ...denied.map(({ path }) => path)];
}
