import { join } from 'node:path';
import { resolveRealPath } from '../real-path.ts';
import { findRoot } from '../workspace.ts';
import { findGitDirectory, findLaidOutCommon } from './directory.ts';

/**
 * Where Git LFS keeps the large files of the repository around a directory, and writes each before it knows its name, also when
 * git only compares: like git's objects they are named by their content, and nothing there is run. It need not exist.
 */
export function locateLargeFiles(directory: string): string | undefined {
  const own = findGitDirectory(findRoot(directory) ?? directory);
  return own === undefined ? undefined : join(resolveRealPath(findLaidOutCommon(own)), 'lfs');
}
