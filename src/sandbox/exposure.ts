import { readlinkSync } from '../lib/files/exact-files.ts';
import { basename } from '../lib/files/exact-paths.ts';
import { statEntry } from './guard/look.ts';
import { placeholderNames } from './guard/placeholders.ts';
import { isEmptyButForMarks } from './guard/stand-ins.ts';

/** State of the protected paths around a command, to be compared when it has ended. */
export type Exposure = ReadonlyMap<string, string>;

/**
 * Existing paths protected by a mount cannot have changed. A link cannot be mounted on, so its target is part of its state;
 * and an empty directory that may only stand in for a missing one differs from a full one.
 */
export function describeExposure(paths: readonly string[]): Exposure {
  return new Map(
    paths.flatMap((path): [string, string][] => {
      const standing = describeState(path);
      return standing === undefined ? [] : [[path, standing]];
    }),
  );
}

/** Followed by the target of the link. */
export const linkMark = 'link ';

function describeState(path: string): string | undefined {
  const found = statEntry(path);
  if (!found) return undefined;
  if (found.isSymbolicLink()) return `${linkMark}${readTarget(path)}`;
  const mayStandIn = placeholderNames.includes(basename(path)) && found.isDirectory();
  return mayStandIn && isEmptyButForMarks(path) ? 'empty' : 'there';
}

/** Paths that a command created, or replaced. */
export function appeared(before: Exposure, after: Exposure): string[] {
  return [...after]
    .filter(([path, now]) => now !== 'empty' && before.get(path) !== now)
    .map(([path]) => path);
}

/** A link that has changed, with its old target. */
export interface LostLink {
  path: string;
  target: string;
}

export function lostLinks(before: Exposure, after: Exposure): LostLink[] {
  return [...before].flatMap(([path, was]) =>
    was.startsWith(linkMark) && after.get(path) !== was ? [{ path, target: was.slice(linkMark.length) }] : [],
  );
}

function readTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
