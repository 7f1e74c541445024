import { basename } from 'node:path';
import type { Look } from '../look.ts';
import { foldName } from '../paths.ts';
import { mayMatchName } from '../pattern.ts';
import { isOnTheWay, mayBreak, type ResolvedUse } from './uses.ts';

/** Of the many names that a search may find only those matter that are not what they seem. */
export function foundBelow(
  look: Look,
  path: string,
  sweep: ResolvedUse['sweep'],
): readonly string[] | undefined {
  const [below, vendored] = [look.below(path), look.vendored(path)];
  const { taken, from = [], tracked } = sweep && sweep !== 'none' ? sweep : {};
  const pieces = { taken, from: [path, ...from], ...(tracked ? { tracked } : {}) };
  if (!below || !vendored || mayBreak(pieces, look)) return undefined;
  const only = onlyOf(sweep);
  const found = [...below.links, ...vendored.links, ...(only ? below.credentials : [])].filter(fits(only));
  return tracked ? found.filter((one) => isOnTheWay(one, look.tracked(path) ?? [])) : found;
}

/**
 * Names below a directory under which a search may open a file that has another name, by a link or as one of several
 * (hard links); undefined where these cannot be told.
 */
export function otherNamesBelow(
  look: Look,
  path: string,
  sweep: ResolvedUse['sweep'],
): readonly string[] | undefined {
  const [below, linked] = [look.below(path), look.linked(path)];
  return below && linked && [...linked, ...below.links, ...(below.inward ?? [])].filter(fits(onlyOf(sweep)));
}

function onlyOf(sweep: ResolvedUse['sweep']): readonly string[] | undefined {
  return sweep === 'none' ? undefined : sweep?.only;
}

function fits(only: readonly string[] | undefined): (path: string) => boolean {
  return (path) => !only || only.some((pattern) => mayMatchName(foldName(pattern), foldName(basename(path))));
}
