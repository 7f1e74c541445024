import type { FileHistoryRecord } from '../../protocol/record.ts';

/** The part of a file's mode that is kept and restored: never the setuid, setgid or sticky bit. */
export const permissionBits = 0o777;

/** A file at one time, as far as rewind is concerned. */
export interface FileLook {
  /** Null: there is no file. For a link `link:` and its target; `unkept: ` and a reason where the content is unknown. */
  hash: string | null;
  /** Permission bits; absent where unknown, as in older records. */
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

/** An unknown mode is equal to any. */
export function isSameLook(one: FileLook, other: FileLook): boolean {
  return one.hash === other.hash && isSameMode(one, other);
}

export function isSameMode({ mode }: FileLook, { mode: other }: FileLook): boolean {
  return mode === undefined || other === undefined || ((mode ^ other) & permissionBits) === 0;
}

export function lookBefore({ before: hash, mode }: Looks): FileLook {
  return { hash, mode: mode === undefined ? undefined : mode & permissionBits };
}

/** Undefined where it is not known what the file held. An edit leaves the permissions of a file that was there. */
export function lookAfter({ after: hash, mode, modeAfter = mode }: Looks): FileLook | undefined {
  if (hash === undefined) return undefined;
  return { hash, mode: modeAfter === undefined || hash === null ? undefined : modeAfter & permissionBits };
}
