import { readdirSync } from '../lib/files/exact-files.ts';
import { join } from '../lib/files/exact-paths.ts';
import { foldName } from './paths.ts';
import { holders, mayBeProtected, protectedName } from './protected-names.ts';

/** The protected paths in a directory: at most two parts deep, like the names. `look` lists the second part. */
export function listProtected(directory: string, look = listNames, names = listNames(directory)): string[] {
  return names.flatMap((name) => {
    if (!mayBeProtected(name)) return [];
    const path = join(directory, name);
    if (protectedName(`/${name}`) !== undefined) return [path];
    if (!holders.has(foldName(name))) return [];
    return look(path)
      .filter((inner) => protectedName(`/${name}/${inner}`) !== undefined)
      .map((inner) => join(path, inner));
  });
}

/** The entries of a directory; none where it cannot be read. */
export function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
