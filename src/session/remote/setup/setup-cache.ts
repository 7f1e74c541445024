import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isOfDead, nameByProcess } from '../../../lib/files/temporary-names.ts';
import { formatError } from '../../../lib/result.ts';

export interface SetupCache {
  /** Puts the directories that a setup of this content has left into a checkout. False: there was none. */
  restore(key: string, top: string): Promise<boolean>;
  /** Keeps them for the next job. A problem costs only time, and is said. */
  keep(key: string, top: string): Promise<void>;
}

const maxEntries = 10;
/** Copies share their blocks where the file system can do that. */
const how = { recursive: true, verbatimSymlinks: true, force: false, errorOnExist: true } as const;

export function openSetupCache(
  directory: string,
  paths: readonly string[],
  say: (text: string) => void,
): SetupCache {
  return {
    async restore(key, top) {
      const kept = join(directory, key);
      if (!existsSync(kept)) return false;
      try {
        utimesSync(kept, new Date(), new Date());
        for (const [at, path] of paths.entries()) {
          const from = join(kept, `${at}`);
          if (!existsSync(from)) continue;
          mkdirSync(dirname(join(top, path)), { recursive: true });
          await cp(from, join(top, path), how);
        }
        return true;
      } catch (error) {
        say(`The kept directories of a setup could not be used: ${formatError(error)}`);
        for (const path of paths) rmSync(join(top, path), { recursive: true, force: true });
        return false;
      }
    },
    async keep(key, top) {
      const made = join(directory, nameByProcess());
      try {
        mkdirSync(made, { recursive: true, mode: 0o700 });
        // A link would be kept as what it leads to.
        for (const [at, path] of paths.entries())
          if (lstatSync(join(top, path), { throwIfNoEntry: false })?.isDirectory())
            await cp(join(top, path), join(made, `${at}`), how);
        if (!existsSync(join(directory, key))) renameSync(made, join(directory, key));
        prune(directory);
      } catch (error) {
        say(`The directories of a setup could not be kept: ${formatError(error)}`);
      } finally {
        rmSync(made, { recursive: true, force: true });
      }
    },
  };
}

/** The ones that were used longest ago, and those that a killed worker had begun. */
function prune(directory: string): void {
  const names = readdirSync(directory).map((name) => join(directory, name));
  const old = names
    .filter((path) => /^[0-9a-f]{40}$/.test(path.slice(directory.length + 1)))
    .sort((a, b) => lstatSync(b).mtimeMs - lstatSync(a).mtimeMs)
    .slice(maxEntries);
  for (const path of [...old, ...names.filter((path) => isOfDead(path))])
    rmSync(path, { recursive: true, force: true });
}
