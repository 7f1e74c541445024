import type { SandboxSettings } from '../settings/loaded.ts';
import { statEntry } from './guard/look.ts';

/** Places that commands should be able to write by the settings and cannot, with the reason: a clause. */
export function listIneffective({ enabled, filesystem }: SandboxSettings): { path: string; why: string }[] {
  if (enabled === false) return [];
  return filesystem.allowWrite.flatMap((path) => {
    if (path === '/') return [{ path, why: 'is the whole machine, which commands can never write' }];
    if (statEntry(path)) return [];
    return [{ path, why: 'does not exist, so commands cannot write there until it does' }];
  });
}
