import { basename, relative } from 'node:path';
import { type Told, untold } from '../../lib/told.ts';
import type { CallWorkspace } from '../../places/types.ts';
import { isWithin, joinPath } from '../../workspace/paths.ts';
import { literalValue, type MadeName, type Value } from '../grammar/types.ts';
import type { PathUse } from '../programs/effect.ts';

/**
 * The values of a word that is written to, with the found names filled in where a name is made from a pattern: a written file
 * need not exist, so looking for similar names says nothing.
 */
export function fillMade(
  { kind, word: { values = [] } }: PathUse,
  directories: readonly string[],
  workspace: CallWorkspace,
): Told<readonly Value[]> {
  if (kind !== 'write') return [];
  const filled: Value[] = [];
  for (const { made } of values) {
    if (made === undefined) continue;
    const names = made === untold ? untold : findNames(made, directories, workspace);
    if (names === untold) return untold;
    filled.push(...names.map(literalValue));
  }
  return filled;
}

function findNames(
  { before, glob, after, isLast }: MadeName,
  directories: readonly string[],
  { look }: CallWorkspace,
): Told<readonly string[]> {
  const names: string[] = [];
  const isAbsolute = glob.startsWith('/');
  if (!look || (directories.length === 0 && !isAbsolute)) return untold;
  for (const directory of isAbsolute ? ['/'] : directories) {
    const found = look.expand(directory, glob);
    if (found === untold) return untold;
    for (const path of found) {
      const name = isLast ? basename(path) : buildName(directory, path, isAbsolute);
      names.push(`${before}${name}${after}`);
    }
  }
  return names;
}

function buildName(directory: string, path: string, isAbsolute: boolean): string {
  if (isAbsolute) return path;
  return isWithin(path, directory) ? relative(directory, path) : joinPath('.', relative(directory, path));
}
