import { lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs';

/** Looks at the file system that never fail: what cannot be seen is not there. */
export function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

const mostText = 64 * 1024;

/** A small text file, no link. */
export function textAt(path: string): string | undefined {
  const found = entryAt(path);
  if (!found?.isFile() || found.size > mostText) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
