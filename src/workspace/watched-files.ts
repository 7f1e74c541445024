import type { BigIntStats } from 'node:fs';
import { statEntryPrecisely } from '../lib/files/entry-at.ts';
import type { RealPath } from '../lib/files/real-places.ts';
import { hashFile } from './file-content.ts';

/** The state of a file at one look. */
export interface FileMark {
  /** Size, times, inode and device: while these are unchanged, nothing is read. Null where nothing exists. */
  stamp: string | null;
  /** SHA-256 of its bytes, in hexadecimal, or `unreadable`; null where there is no regular file. */
  hash: string | null;
  /** Permission bits of a regular file. */
  mode?: number;
}

export interface WatchedChange {
  /** Its real path when it was watched. */
  path: string;
  kind: 'created' | 'changed' | 'deleted';
  before: FileMark;
  now: FileMark;
  /** Only its content changed: a program wrote to it through a mapping. */
  isMapped?: true;
}

/**
 * Files that agents wrote, so that changes by a shell command are noticed. A look costs one `lstat` per file; only a file
 * whose stamp changed is read. It knows what changed between two looks, not who did it: look before and after.
 */
export interface WatchedFiles {
  /** Records the present state of the file. `hash`: of the content just written, where known. Paths are real ones. */
  watch(path: string, hash?: string): void;
  forget(path: string): void;
  /** Its last state; undefined where it is not watched. */
  findMark(path: string): FileMark | undefined;
  paths(): string[];
  /**
   * Differences from the last look, each reported once. Files that changed since `since`, in milliseconds, are read although
   * their stamp is unchanged.
   */
  changes(since?: number): WatchedChange[];
}

interface Watched extends FileMark {
  /** Looked at so soon after its last change that another could carry the same stamp. */
  fresh: boolean;
}

/** The kernel stamps files with a clock that ticks a few hundred times a second; some file systems are coarser. */
const tick = 50;

/**
 * `now` is compared with file times: the system's clock, whatever clock the session has. `withModes`: changed permissions are
 * a change too.
 */
export function openWatchedFiles(now: () => number = Date.now, withModes = false): WatchedFiles {
  const files = new Map<string, Watched>();
  return {
    watch: (path, hash) => void files.set(path, look(path, now(), hash)),
    forget: (path) => void files.delete(path),
    findMark: (path) => files.get(path),
    paths: () => [...files.keys()],
    changes(since = Number.POSITIVE_INFINITY) {
      const changes: WatchedChange[] = [];
      for (const [path, before] of files) {
        const stat = statEntryPrecisely(path);
        const isRead = before.fresh || (stat !== undefined && Number(stat.ctimeMs) >= since);
        if (!isRead && formatStamp(stat) === before.stamp) continue;
        const current = look(path, now());
        files.set(path, current);
        const kind = classifyChange(before, current, withModes);
        const isMapped = !before.fresh && before.stamp === current.stamp;
        if (kind)
          changes.push({
            ...{ path, kind, before: copyMark(before), now: copyMark(current) },
            ...(isMapped ? { isMapped } : {}),
          });
      }
      return changes;
    },
  };
}

/** Stamped before it is read: a change in between changes the stamp, and the next look sees it. */
function look(path: string, now: number, known?: string): Watched {
  const stat = statEntryPrecisely(path);
  const hash = stat?.isFile() ? (known ?? hashFile(path as RealPath) ?? 'unreadable') : null;
  return {
    ...{ stamp: formatStamp(stat), hash },
    ...(stat?.isFile() ? { mode: Number(stat.mode) & 0o777 } : {}),
    fresh: stat !== undefined && now - Number(stat.ctimeMs) < tick,
  };
}

/** Everything that is known about a file without reading it; null where none exists. */
export function readFileStamp(path: string): string | null {
  return formatStamp(statEntryPrecisely(path));
}

function formatStamp(stat: BigIntStats | undefined): string | null {
  return stat ? `${stat.dev} ${stat.ino} ${stat.mode} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}` : null;
}

/** Touching a file or copying it over itself is not a change. */
function classifyChange(
  before: FileMark,
  now: FileMark,
  withModes: boolean,
): WatchedChange['kind'] | undefined {
  if (before.hash === now.hash) return withModes && before.mode !== now.mode ? 'changed' : undefined;
  if (before.hash === null) return 'created';
  return now.hash === null ? 'deleted' : 'changed';
}

function copyMark({ stamp, hash, mode }: FileMark): FileMark {
  return { stamp, hash, ...(mode === undefined ? {} : { mode }) };
}
