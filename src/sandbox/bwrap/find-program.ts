import { isAbsolute } from 'node:path';
import { join } from '../../lib/files/exact-paths.ts';
import { isProgram } from '../../workspace/search-path.ts';

/**
 * Never along a search path, which may lead into the repository: the program that confines commands must not come from there.
 */
const directories = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin', '/opt/homebrew/bin'];

/** A program of the system by its name, or the one that the user names. */
export function findSystemProgram(name: string, given: string | undefined): string | undefined {
  if (given !== undefined) return isAbsolute(given) && isProgram(given) ? given : undefined;
  return directories.map((directory) => join(directory, name)).find(isProgram);
}
