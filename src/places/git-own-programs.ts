import { statEntry } from '../lib/files/entry-at.ts';
import { dirname, join } from '../lib/files/exact-paths.ts';
import { type FoundSetting, isUnread } from '../workspace/git/config-files.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { findRepository } from './git-runs.ts';
import { GitScopes, type GitSurroundings } from './git-scopes.ts';

/** A program that the settings of a repository make git run when it looks at files or at the index. */
export interface OwnProgram {
  readonly setting: string;
  readonly command: string;
}

/**
 * Finds a program that the repository around a directory, one above it, or a submodule sets for itself, whatever the
 * conditions of its includes are. Not hooks, and not those that the user's own settings name. Undefined where there is none.
 */
export function openOwnPrograms(
  around: GitSurroundings,
  submodules: (directory: string) => readonly string[] | undefined,
): (directory: string) => OwnProgram | undefined {
  const scopes = new GitScopes(around);
  return (directory) => {
    const inner = submodules(directory);
    if (!inner) return { setting: 'its index', command: 'a program of a submodule' };
    for (const place of [...listAbove(resolveRealPath(directory)), ...inner.slice(0, maxSubmodules)]) {
      const own = scopes.readOwn(findRepository(place)?.gitDirectories ?? []);
      const found = own.find(runsProgram);
      if (found) return { setting: joinKey(found), command: found.value };
    }
    return inner.length > maxSubmodules
      ? { setting: 'its submodules', command: 'their programs' }
      : undefined;
  };
}

const maxSubmodules = 200;

/** The directory and those above it that git may take for the top of a checkout. */
function listAbove(directory: string): string[] {
  const found: string[] = [];
  for (let place = directory; ; place = dirname(place)) {
    if (statEntry(join(place, '.git'))) found.push(place);
    if (place === dirname(place)) return found;
  }
}

function runsProgram(setting: FoundSetting): boolean {
  if (isUnread(setting)) return true;
  return programKeys.test(joinKey(setting)) && !harmless.test(setting.value);
}

const programKeys =
  /^(?:core\.fsmonitor|diff\.external|interactive\.difffilter|filter\..*\.(?:clean|smudge|process)|merge\..*\.driver|diff\..*\.(?:command|textconv))$/s;

/** Switches, and tools that do as their name says with any file. */
const harmless =
  /^(?:|true|false|yes|no|on|off|0|1|"?(?:\/(?:usr|opt|bin|nix)\/(?:[\w+-][\w.+-]*\/)*)?git-(?:lfs|crypt)"?(?: [\w=%.-]+)*)$/i;

function joinKey({ section, subsection, name }: FoundSetting): string {
  return subsection === '' ? `${section}.${name}` : `${section}.${subsection}.${name}`;
}
