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
  const only = sweep === 'none' ? undefined : sweep?.only;
  const fits = (one: string) =>
    !only || only.some((pattern) => mayMatchName(foldName(pattern), foldName(basename(one))));
  const found = [...below.links, ...vendored.links, ...(only ? below.credentials : [])].filter(fits);
  return tracked ? found.filter((one) => isOnTheWay(one, look.tracked(path) ?? [])) : found;
}
