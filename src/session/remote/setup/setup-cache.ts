import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, utimesSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { RealPlaces } from '../../../lib/files/real-places.ts';
import { removeTreeMeanwhile } from '../../../lib/files/remove-tree.ts';
import { isOfDead, nameByProcess } from '../../../lib/files/temporary-names.ts';
import { fail, formatError, ok, type Result } from '../../../lib/result.ts';
import { visibleLine } from '../../../lib/text/text.ts';
import { resolveRealPath } from '../../../workspace/real-path.ts';

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
          const copied = await withParent(top, path, 'made', (place) => cp(from, place, how));
          if (copied.ok) continue;
          say(`The kept directories of a setup could not be used: ${copied.problem}`);
          await removeAll(top, paths);
          return false;
        }
        return true;
      } catch (error) {
        say(`The kept directories of a setup could not be used: ${formatError(error)}`);
        await removeAll(top, paths);
        return false;
      }
    },
    async keep(key, top) {
      const made = join(directory, nameByProcess());
      try {
        mkdirSync(made, { recursive: true, mode: 0o700 });
        for (const [at, path] of paths.entries()) {
          const to = join(made, `${at}`);
          const copied = await withParent(top, path, 'there', (place) => keepDirectory(place, to));
          if (!copied.ok) return say(`The directories of a setup are not kept: ${copied.problem}`);
        }
        if (!existsSync(join(directory, key))) renameSync(made, join(directory, key));
        await prune(directory);
      } catch (error) {
        say(`The directories of a setup could not be kept: ${formatError(error)}`);
      } finally {
        await removeTreeMeanwhile(made);
      }
    },
  };
}

/** A link would be kept as what it leads to. */
async function keepDirectory(place: string, to: string): Promise<void> {
  if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) await cp(place, to, how);
}

async function removeAll(top: string, paths: readonly string[]): Promise<void> {
  for (const path of paths)
    await withParent(top, path, 'there', async (place) => void (await removeTreeMeanwhile(place)));
}

/**
 * Gives `work` a path of a checkout whose directory is held open, so that no link on the way leads out of the checkout: a repository
 * and its setup choose what is on the way, and this runs outside the sandbox. A directory that is missing is `made`, or there is
 * nothing to do.
 */
async function withParent(
  top: string,
  path: string,
  parent: 'made' | 'there',
  work: (place: string) => Promise<void>,
): Promise<Result<void, string>> {
  const places = new RealPlaces();
  try {
    const above = dirname(join(resolveRealPath(top), path));
    const held = parent === 'made' ? places.makeDirectory(above) : places.directory(above);
    if (held.state === 'missing') return ok(undefined);
    if (held.state === 'failed') return fail(`${visibleLine(path, 200)}: ${formatError(held.error)}`);
    if (held.state === 'moved') return fail(`a link leads from ${visibleLine(path, 200)} elsewhere.`);
    await work(join(held.value, basename(path)));
    return ok(undefined);
  } finally {
    places.close();
  }
}

/** The ones that were used longest ago, and those that a killed worker had begun. */
async function prune(directory: string): Promise<void> {
  const names = readdirSync(directory).map((name) => join(directory, name));
  const old = names
    .filter((path) => /^[0-9a-f]{40}$/.test(path.slice(directory.length + 1)))
    .sort((a, b) => lstatSync(b).mtimeMs - lstatSync(a).mtimeMs)
    .slice(maxEntries);
  for (const path of [...old, ...names.filter((path) => isOfDead(path))]) await removeTreeMeanwhile(path);
}
