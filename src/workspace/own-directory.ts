import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { listNames } from '../lib/files/list-names.ts';
import { isOfDead, nameByProcess } from '../lib/files/temporary-names.ts';
import { getErrorCode } from '../lib/result.ts';

/** Data needed only while a repository is read has a directory here that names its owner. */
const folder = 'looks';

/** Exists during the work, whatever the result. What a killed process leaves is removed by the next start. */
export async function withOwnDirectory<T>(home: string, work: (directory: string) => Promise<T>): Promise<T> {
  const own = makeOwn(join(home, folder));
  try {
    return await work(own);
  } finally {
    rmSync(own, { recursive: true, force: true });
    removeEmpty(join(home, folder));
  }
}

/** Another process may remove the empty folder in between. */
function makeOwn(place: string, tries = 5): string {
  const own = join(place, nameByProcess());
  mkdirSync(place, { recursive: true, mode: 0o700 });
  try {
    mkdirSync(own, { mode: 0o700 });
    return own;
  } catch (error) {
    if (tries > 0 && getErrorCode(error) === 'ENOENT') return makeOwn(place, tries - 1);
    throw error;
  }
}

/** Those whose process has ended. One that cannot be removed stays. */
export function clearDeadDirectories(home: string): void {
  const all = listNames(join(home, folder)).map((name) => join(home, folder, name));
  for (const path of all)
    try {
      if (isOfDead(path)) rmSync(path, { recursive: true, force: true });
    } catch {
      // As it may be on a disk that became read-only.
    }
  removeEmpty(join(home, folder));
}

function removeEmpty(place: string): void {
  try {
    rmdirSync(place);
  } catch {
    // Others are using it, or it is missing.
  }
}
