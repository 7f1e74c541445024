import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../lib/fields/parse-json.ts';
import { ensurePrivateDirectory } from '../lib/files/files.ts';
import { readBoundedText } from '../lib/files/read-bounded.ts';
import { nameByProcess } from '../lib/files/temporary-names.ts';
import { hashBytes } from '../lib/hash.ts';
import { version } from '../lib/version.ts';
import type { FoundMarkdown } from '../workspace/find-markdown.ts';

/** Everything examined for a result, including missing files. */
export interface Visited {
  paths: Set<string>;
  /** A link was met: its target may change without a trace. */
  hasLinks: boolean;
  /** How many files were read. */
  files: number;
}

export function noteVisit(
  visited: Visited,
  { files, directories, hasLinks }: Pick<FoundMarkdown, 'files' | 'directories' | 'hasLinks'>,
): void {
  for (const path of directories) visited.paths.add(path);
  for (const { path } of files) visited.paths.add(path);
  visited.hasLinks ||= hasLinks;
  visited.files += files.length;
}

interface Kept {
  stamps: [path: string, stamp: string][];
  value: unknown;
}

/** A younger file may change again within the resolution of its timestamp: then nothing is cached. */
const settledMs = 2_000;
const maxPaths = 20_000;
/** A few files are read faster than looked up. */
const minFiles = 10;

/**
 * The parsed content of hundreds of small files, cached in our own directory for the next start, which then checks only
 * times and sizes. It is plain data, never a decision: trust is asked again, and privileged content is read
 * again from the file when it is used.
 */
export async function throughCache<T>(
  home: string,
  kind: string,
  key: unknown,
  load: (visited: Visited) => Promise<T>,
  /** When to store it: after startup, when nothing waits for it. */
  later: (act: () => void) => void = (act) => act(),
  clock: () => number = Date.now,
): Promise<T> {
  const name = hashBytes(JSON.stringify([version, key])).slice(0, 24);
  const directory = join(home, 'cache');
  const file = join(directory, `${kind}-${name}.json`);
  const kept = readKept(file);
  if (kept?.stamps.every(([path, stamp]) => readStamp(path) === stamp)) return kept.value as T;
  const now = clock();
  const visited: Visited = { paths: new Set(), hasLinks: false, files: 0 };
  const value = await load(visited);
  // Later changes are newer than this moment, and then nothing is cached.
  later(() => keep(directory, file, value, visited, now));
  return value;
}

/** Deletes caches of directories that have not been used for long. */
export function sweepCache(home: string, olderThan: number): void {
  const directory = join(home, 'cache');
  try {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      if (/^(?:agents|skills)-/.test(name) && statSync(path).mtimeMs < olderThan)
        rmSync(path, { force: true });
    }
  } catch {
    // There is none, or another process deletes it.
  }
}

function readKept(file: string): Kept | undefined {
  const kept = parseJson(readBoundedText(file, maxCache) ?? '') as Kept | undefined;
  return kept && Array.isArray(kept.stamps) && 'value' in kept ? kept : undefined;
}

const maxCache = 64 * 1024 * 1024;

/** Best effort: without it the next start reads the files again. */
function keep(directory: string, file: string, value: unknown, visited: Visited, now: number): void {
  if (visited.hasLinks || visited.files < minFiles || visited.paths.size > maxPaths) return;
  const stamps = [...visited.paths].map((path): [string, string] => [path, readStamp(path)]);
  const isYoung = stamps.some(([, stamp]) => Number(stamp.split(' ')[0]) > now - settledMs);
  if (isYoung || !ensurePrivateDirectory(directory).ok) return;
  try {
    const temporary = `${file}.${nameByProcess()}.tmp`;
    writeFileSync(temporary, JSON.stringify({ stamps, value }), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } catch {
    // A full disk is reported where it matters.
  }
}

/** Empty if there is nothing. The inode tells a file from another that replaced it with the same time. */
function readStamp(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found ? `${Math.max(found.mtimeMs, found.ctimeMs)} ${found.size} ${found.ino}` : '';
  } catch {
    return 'closed';
  }
}
