import { decodePath, join } from '../lib/files/exact-paths.ts';
import { readBounded } from '../lib/files/read-bounded.ts';
import { untold } from '../lib/told.ts';
import { type FoundSetting, includedFile, isUnread } from '../workspace/git/config-files.ts';
import { findOtherRepositories } from '../workspace/git/other-repositories.ts';
import { type GitSetting, parseGitConfig } from '../workspace/git/parse-config.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { GitScopes, type GitSurroundings } from './git-scopes.ts';
import type { Look } from './look.ts';

/** Finds repositories by git's configuration of every scope, and by the file that names submodules. */
export function openRemotes(around: GitSurroundings): Look['otherRepositories'] {
  const scopes = new GitScopes(around);
  const read = (mayChange: boolean) => (gitDirectories: readonly string[], top: string | undefined) => {
    const submodules = top === undefined ? [] : readSubmodules(top);
    const all = scopes.read(gitDirectories);
    // What a checkout brings may be settings as well.
    const isBrought = (file: string) =>
      top !== undefined && isWithin(file, top) && !gitDirectories.some((own) => isWithin(file, own));
    if (mayChange && all.flatMap((one) => listIncluded(one, around.userHome)).some(isBrought))
      return undefined;
    return submodules && !all.some(isUnread) ? [...all, ...submodules] : undefined;
  };
  return (directory, addresses) =>
    findOtherRepositories(directory, addresses, {
      userHome: around.userHome,
      settings: read(addresses.anyPath === true),
    }) ?? untold;
}

function listIncluded(setting: FoundSetting, userHome: string): string[] {
  const file = includedFile(setting, userHome);
  return file === undefined ? [] : [file, resolveRealPath(file)];
}

function readSubmodules(top: string): readonly GitSetting[] | undefined {
  const read = readBounded(join(top, '.gitmodules'), maxBytes);
  if (read.state !== 'read') return read.state === 'missing' ? [] : undefined;
  return parseGitConfig(decodePath(read.bytes)).filter(({ section }) => section === 'submodule');
}

const maxBytes = 8 * 1024 * 1024;
