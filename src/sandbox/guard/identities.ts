import { visibleLine } from '../../lib/text/text.ts';
import type { PathEntry } from '../../protocol/sandbox.ts';
import { statEntry, isBelow } from './look.ts';

/** Which files the mounts of a command are on: those that it can only read. What it can write has no identity. */
export type Identities = ReadonlyMap<string, string>;

export function readIdentities(paths: readonly PathEntry[]): Identities {
  const writable = paths.filter(({ access }) => access === 'write').map(({ path }) => [path, ''] as const);
  const readOnly = paths.filter(({ access }) => access === 'read').map(({ path }) => path);
  // Of two for one path the stricter is what is mounted.
  return new Map([...writable, ...identify(readOnly)]);
}

export function identify(paths: readonly string[]): Identities {
  return new Map(paths.map((path) => [path, readIdentity(path)]));
}

/**
 * Whether a path is at or below a read-only mount of a command that is still on the file it was made on, and no other
 * mount lets it write there after all: then whatever happened there was done by others. So the harness can make a worktree
 * or save a rule in `.cadre`, and a person can edit `.vscode`, while a command runs.
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

/**
 * A mount goes with the file it stands on. When a process outside replaces that, as git does with its configuration, the
 * command could write the new one from then on, and nobody can tell whether it did.
 */
export function replacedOnes(before: Identities): string[] {
  const replaced = [...before].filter(([path, identity]) => {
    const now = readIdentity(path);
    return identity !== '' && now !== '' && now !== identity;
  });
  if (replaced.length === 0) return [];
  const names = replaced.map(([path]) => visibleLine(path, 300)).join(', ');
  return [
    `Another process replaced these while the command ran, and the command could write them from then on; check them before they are used: ${names}`,
  ];
}

export function readIdentity(path: string): string {
  const found = statEntry(path);
  // A number is given to the next file when one is gone; the time of its making is not.
  return found ? `${found.dev} ${found.ino} ${found.birthtimeMs}` : '';
}
