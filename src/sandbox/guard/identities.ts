import { visibleLine } from '../../lib/text/text.ts';
import type { PathEntry } from '../../protocol/sandbox.ts';
import { isBelow, statEntry } from './look.ts';

/** The files that the mounts of a command are on: those it can only read. Writable paths have no identity. */
export type Identities = ReadonlyMap<string, string>;

export function readIdentities(paths: readonly PathEntry[]): Identities {
  const writable = paths.filter(({ access }) => access === 'write').map(({ path }) => [path, ''] as const);
  const readOnly = paths.filter(({ access }) => access === 'read').map(({ path }) => path);
  // For one path the stricter of two is mounted.
  return new Map([...writable, ...identify(readOnly)]);
}

export function identify(paths: readonly string[]): Identities {
  return new Map(paths.map((path) => [path, readIdentity(path)]));
}

/**
 * Whether a path is at or below a read-only mount of a command that is still on its original file, and no other mount allows
 * writing there: then any change there was made by others. So the harness can make a worktree or save a rule in `.cadre`, and
 * a user can edit `.vscode`, while a command runs.
 */
export function isSealed(path: string, held: Identities): boolean {
  const around = [...held].filter(([place]) => isBelow(path, place));
  const open = Math.max(
    -1,
    ...around.filter(([, identity]) => identity === '').map(([place]) => place.length),
  );
  return around.some(
    ([place, identity]) => place.length > open && identity !== '' && readIdentity(place) === identity,
  );
}

/** Whether a command could write at a path: somewhere around it a mount allows that, and none below that one is read-only. */
export function isWithinReach(path: string, held: Identities): boolean {
  const isOpen = [...held].some(([place, identity]) => identity === '' && isBelow(path, place));
  return isOpen && !isSealed(path, held);
}

/**
 * A mount follows its file. When a process outside replaces that, as git does with its configuration, the command could write
 * the new one from then on, and it is unknown whether it did.
 */
export function replacedOnes(before: Identities): string[] {
  const replaced = [...before].filter(([path, identity]) => {
    const now = readIdentity(path);
    return identity !== '' && now !== '' && now !== identity;
  });
  if (replaced.length === 0) return [];
  const names = replaced.map(([path]) => visibleLine(path, 300)).join(', ');
  return [
    `Another process replaced these while the command ran, so the command could write them from then on; check them before use: ${names}`,
  ];
}

export function readIdentity(path: string): string {
  const found = statEntry(path);
  // An inode number is reused when a file is deleted; its creation time is not.
  return found ? `${found.dev} ${found.ino} ${found.birthtimeMs}` : '';
}
