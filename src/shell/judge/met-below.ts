import { basename } from 'node:path';
import { joinTold, mapTold, type Told, untold } from '../../lib/told.ts';
import { credentialsAmong, isCredential } from '../../places/credentials.ts';
import type { Look } from '../../places/look.ts';
import { isWithinVendor } from '../../places/look-below.ts';
import { matchesName, mayMatchName } from '../../places/name-pattern.ts';
import { foldName } from '../../places/paths.ts';
import { relativeParts } from '../../workspace/paths.ts';
import type { Sweep } from '../grammar/types.ts';
import { isOnTheWay, mayBreak } from '../walk/broken-names.ts';

/*
 * Everything that a search from a directory finds. One answer for all judges: the agent's own limits, the rules, and our own
 * keys. Of the many names below a directory only those that may matter are returned.
 */

/** Links that lead out of the directory or to a credential file, through which a search may open something else. */
export function linksMet(look: Look, directory: string, sweep: Sweep): Told<readonly string[]> {
  const { taken, from = [], tracked, only } = sweep;
  const kinds = { ...(tracked ? { tracked } : {}), ...(only ? { only } : {}) };
  if (mayBreak({ taken, from: [directory, ...from], ...kinds }, look)) return untold;
  const links = joinTold(
    mapTold(look.below(directory), (below) => below.links),
    mapTold(look.vendored(directory), (vendored) => vendored.links),
  );
  return sift(look, directory, whereverNamed(sweep), links, 'link');
}

/** Those of them that may show a credential file, and all others outside installed packages: they may lead anywhere. */
export function closedLinksMet(look: Look, directory: string, sweep: Sweep): Told<readonly string[]> {
  const links = mapTold(linksMet(look, directory, sweep), (met) =>
    met.filter((link) => !isWithinVendor(link) || sweep.follows || !look.isDirectory(link)),
  );
  return sift(look, directory, sweep, links, 'link');
}

/** Links that stay in the directory: other names of its content. */
export function inwardMet(look: Look, directory: string, sweep: Sweep): Told<readonly string[]> {
  const inward = mapTold(look.below(directory), (below) => below.inward);
  return sift(look, directory, whereverNamed(sweep), inward, 'link');
}

/** Files that hold credentials by name, and their directories. */
export function credentialsMet(look: Look, directory: string, sweep: Sweep): Told<readonly string[]> {
  const found = sweep.tracked
    ? mapTold(look.tracked(directory), credentialsAmong)
    : sweep.deep
      ? mapTold(look.below(directory), (below) => below.credentials)
      : mapTold(listNames(look, directory), (names) => names.filter(isCredential));
  return sift(look, directory, sweep, found, 'file');
}

/** Files that are the same as a credential file, under another name (hard links). */
export function sameCredentialsMet(look: Look, directory: string, sweep: Sweep): Told<readonly string[]> {
  const found =
    sweep.deep || sweep.tracked
      ? look.linkedCredentials(directory)
      : mapTold(listNames(look, directory), (names) =>
          names.filter((name) => look.sameFile(name) !== undefined),
        );
  return sift(look, directory, sweep, found, 'file');
}

/** Files with several names (hard links). */
export function sharedMet(look: Look, directory: string, sweep: Sweep): Told<readonly string[]> {
  return sift(look, directory, whereverNamed(sweep), look.linked(directory), 'file');
}

/** Directories, whatever names the search is for: its results may be in any of them. */
export function directoriesBelow(look: Look, directory: string): Told<readonly string[]> {
  return joinTold(
    mapTold(look.below(directory), (below) => below.directories),
    mapTold(look.vendored(directory), (vendored) => vendored.directories),
  );
}

/** Whether a found name may be a directory, with everything below it. */
export function mayFindDirectory(look: Look, directory: string, { only }: Sweep): boolean {
  if (!only) return true;
  const links = mapTold(look.below(directory), (below) => [...below.links, ...below.inward]);
  const found = joinTold(directoriesBelow(look, directory), links);
  return found === untold || found.some((path) => fitsAny(only, basename(path)));
}

function listNames(look: Look, directory: string): Told<readonly string[]> {
  return joinTold(look.expand(directory, '*'), look.expand(directory, '.*'));
}

function sift(
  look: Look,
  directory: string,
  sweep: Sweep,
  paths: Told<readonly string[]>,
  kind: 'link' | 'file',
): Told<readonly string[]> {
  // Nothing to filter: other unknowns do not matter.
  if (paths === untold || paths.length === 0) return paths;
  const back = broughtBack(look, directory, sweep);
  const kept = sweep.tracked ? look.tracked(directory) : [];
  if (back === untold || kept === untold) return untold;
  const names = new Set(kept);
  return paths.filter((path) => {
    if (sweep.tracked && !(kind === 'link' ? isOnTheWay(path, kept) : names.has(path))) return false;
    // A link to a directory leads to other names.
    const isWay = kind === 'link' && sweep.follows === true && look.isDirectory(path);
    return isMet(path, directory, isWay ? withoutNames(sweep) : sweep, back);
  });
}

/** A search may be set to begin deeper, or in a hidden directory: its limits of depth and dots apply from there on. */
function whereverNamed(sweep: Sweep): Sweep {
  return { ...sweep, deep: true, hidden: true };
}

export function withoutNames({ only: _, except: __, ...sweep }: Sweep): Sweep {
  return sweep;
}

/** Without its own pattern a search skips dot names, unless the repository says otherwise. */
export function broughtBack(look: Look, directory: string, { deep, hidden }: Sweep): Told<readonly string[]> {
  return deep && !hidden ? mapTold(look.below(directory), (below) => below.unhidden) : [];
}

export function isMet(
  path: string,
  directory: string,
  { deep, hidden, dotted = [], only, except }: Sweep,
  back: readonly string[],
): boolean {
  const parts = relativeParts(path, directory) ?? [path];
  const name = parts.at(-1) ?? '';
  if (!deep && parts.length > 1) return false;
  if (only) return fitsAny(only, name);
  const isTaken = (part: string, index: number) =>
    !part.startsWith('.') || fitsAny(back, part) || (index === parts.length - 1 && fitsAny(dotted, part));
  if (!hidden && !parts.every(isTaken)) return false;
  return !except?.some((pattern) => surelyMatches(pattern, name));
}

export function fitsAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => mayMatchName(foldName(pattern), foldName(name)));
}

/** In every locale, including case: beyond ASCII the locale decides what a letter is. */
function surelyMatches(pattern: string, name: string): boolean {
  return /^[ -~]*$/.test(pattern + name) && !/[[\]\\]/.test(pattern) && matchesName(pattern, name);
}
