import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isSameProcess, processMark } from '../lib/process-mark.ts';
import { namesIn } from './worktree-repository.ts';

/** What is needed only while a repository is looked at has a directory here that says whose it is. */
const folder = 'looks';

/** For the time of the work, whatever comes of it. What is left of it when the process is killed goes with the next start. */
export async function withOwnDirectory<T>(home: string, work: (directory: string) => Promise<T>): Promise<T> {
  const { pid, start } = processMark(process.pid);
  mkdirSync(join(home, folder), { recursive: true, mode: 0o700 });
  const own = mkdtempSync(join(home, folder, `${pid}.${encodeURIComponent(start)}.`));
  try {
    return await work(own);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** Those whose process is gone. */
export function clearDeadDirectories(home: string): void {
  for (const name of namesIn(join(home, folder))) {
    const [, pid, start] = /^(\d+)\.(.*)\.[^.]*$/.exec(name) ?? [];
    if (pid === undefined || start === undefined) continue;
    if (isSameProcess({ pid: Number(pid), start: decodeURIComponent(start) })) continue;
    rmSync(join(home, folder, name), { recursive: true, force: true });
  }
}
