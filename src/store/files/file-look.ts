import type { FileHistoryRecord } from '../../protocol/record.ts';

/** What is kept of a file's mode and brought back: never that it runs as its owner or group, nor the sticky bit. */
export const permissionBits = 0o777;

/** A file at one time, as far as going back minds. */
export interface FileLook {
  /** Null: there is no file. Of a link `link:` and its target; `unkept: ` and why, where the content is not known. */
  hash: string | null;
  /** Permission bits; absent where they are not known, as in records from before they were kept. */
  mode?: number;
}

const linkPrefix = 'link:';

/** How a symbolic link is written where a file has the hash of its bytes. */
export function linkState(target: string): string {
  return `${linkPrefix}${target}`;
}

/** Undefined where it is not a link. */
export function linkTarget(state: string): string | undefined {
  return state.startsWith(linkPrefix) ? state.slice(linkPrefix.length) : undefined;
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
