import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';

/** Files whose rules ripgrep reads in every directory that it enters, and in those above. */
const ignoreFiles: ReadonlySet<string> = new Set(['.gitignore', '.ignore', '.rgignore']);
/** A search that has ended by then was not blocked by a pipe. */
const firstMs = 1_000;
/** The time until the next check, if none was found and if some were: ripgrep reaches them one after the other. */
const nextMs = { usual: 5_000, soon: 100 };
/** Further directories are not checked. */
const maxDirectories = 20_000;

/**
 * Ripgrep waits forever for a named pipe in place of an ignore file, which any command can put there. While a search
 * runs, such pipes are opened for writing and closed again, so ripgrep reads them as empty files. Returns a function to stop it.
 */
export function releasePipes(top: string, clock: Clock): () => void {
  let isOver = false;
  let cancel = clock.after(firstMs, () => void release());
  let isNeeded = false;
  const release = async () => {
    for await (const pipe of findPipes(top)) {
      if (isOver) return;
      if (openAndClose(pipe)) isNeeded = true;
    }
    if (!isOver) cancel = clock.after(isNeeded ? nextMs.soon : nextMs.usual, () => void release());
  };
  return () => {
    isOver = true;
    cancel();
  };
}

async function* findPipes(top: string): AsyncGenerator<string> {
  for (let up = dirname(top); ; up = dirname(up)) {
    for (const name of ignoreFiles) yield join(up, name);
    if (up === dirname(up)) break;
  }
  const ahead = [top];
  for (let at = 0; at < ahead.length && at < maxDirectories; at++) {
    const directory = ahead[at] ?? top;
    for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
      if (entry.isFIFO() && ignoreFiles.has(entry.name)) yield join(directory, entry.name);
      else if (entry.isDirectory() && entry.name !== '.git') ahead.push(join(directory, entry.name));
    }
  }
}

/** Whether a reader was waiting for it. Leaves anything but a pipe alone. */
function openAndClose(pipe: string): boolean {
  let file: number | undefined;
  try {
    file = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    return fstatSync(file).isFIFO();
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
