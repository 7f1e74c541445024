import { join } from '../lib/files/exact-paths.ts';
import { listNames } from '../lib/files/list-if-there.ts';
import { mapTold, type Told, untold } from '../lib/told.ts';
import { foldName } from './paths.ts';
import { holders, mayBeProtected, protectedName } from './protected-names.ts';

/** The protected paths in a directory. Of one that cannot be listed: the directory itself. */
export function listProtected(directory: string): string[] {
  const found = findProtectedEntries(directory);
  return found === untold ? [directory] : [...found];
}

/** At most two parts deep, like the names. `look` lists the second part. */
export function findProtectedEntries(
  directory: string,
  look: (path: string) => Told<readonly string[]> = listNames,
  names: Told<readonly string[]> = listNames(directory),
): Told<readonly string[]> {
  return mapTold(names, (all) =>
    all.flatMap((name) => {
      if (!mayBeProtected(name)) return [];
      const path = join(directory, name);
      if (protectedName(`/${name}`) !== undefined) return [path];
      if (!holders.has(foldName(name))) return [];
      const inside = look(path);
      if (inside === untold) return [path];
      return inside
        .filter((inner) => protectedName(`/${name}/${inner}`) !== undefined)
        .map((inner) => join(path, inner));
    }),
  );
}
