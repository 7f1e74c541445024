import type { FileHistoryRecord } from '../protocol/record.ts';

/** What is kept of a file's mode and brought back: never that it runs as its owner or group, nor the sticky bit. */
export const permissionBits = 0o777;

/** A file at one time, as far as going back minds. */
export interface FileLook {
  /** Null: there is no file. */
  hash: string | null;
  /** Permission bits; absent where they are not known, as in records from before they were kept. */
  mode?: number;
}

type Looks = Pick<FileHistoryRecord, 'before' | 'after' | 'mode' | 'modeAfter'>;

/** What is not known differs from nothing. */
export function isSameLook(one: FileLook, other: FileLook): boolean {
  return one.hash === other.hash && isSameMode(one, other);
}

export function isSameMode({ mode }: FileLook, { mode: other }: FileLook): boolean {
  return mode === undefined || other === undefined || ((mode ^ other) & permissionBits) === 0;
}

export function lookBefore({ before: hash, mode }: Looks): FileLook {
  return { hash, ...(mode === undefined ? {} : { mode: mode & permissionBits }) };
}

/** Undefined where it is not known what the file held. An edit leaves the permissions of a file that was there. */
export function lookAfter({ after: hash, mode, modeAfter = mode }: Looks): FileLook | undefined {
  if (hash === undefined) return undefined;
  return { hash, ...(modeAfter === undefined || hash === null ? {} : { mode: modeAfter & permissionBits }) };
}
