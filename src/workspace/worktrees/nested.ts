import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import { resolveRealPath } from '../real-path.ts';
import { type CheckoutEntry, withIndexCopy } from './index-copy.ts';
import { bindGit, oneLine, type WorktreeWorld } from './repository.ts';
import { readStatus, type Status } from './status.ts';
import { describeUnpushed } from './submodule-refs.ts';
import { describeUnfinished, findUnfinished } from './unfinished.ts';
import { describeUnreported, isInitialised } from './unreported.ts';
import { nameFile, nameFiles } from './words.ts';

/** Repositories inside a checkout, which are removed with it and of which git lands nothing. */
export interface Nested {
  /** Why it cannot land, and why it must not be removed; one for each that contains something. */
  obstacles: string[];
  hasSubmodules: boolean;
  /** Submodules that are not initialised and hold files: git may fail to add them. */
  unreported: string[];
}

interface Around {
  /** The name of the checkout, if it is one itself. */
  prefix: string;
  /** As in the record of the worktree. */
  starts: Readonly<Record<string, readonly string[]>>;
}

/** Ignored ones are not looked for: they are treated like other ignored files. */
export async function findNested(
  top: string,
  entries: readonly CheckoutEntry[],
  status: Status,
  world: WorktreeWorld,
  { prefix, starts }: Around,
): Promise<Result<Nested>> {
  const links = new Set(entries.filter(({ mode }) => mode === '160000').map(({ path }) => path));
  const unreported = listUnreported(top, [...links], prefix);
  const found = listPlaces(entries, status).filter(
    (place) => isRepository(top, place) && !unreported.has(place),
  );
  const named = found.some((place) => links.has(place))
    ? await listSubmodules(top, world)
    : ok(new Set<string>());
  if (!named.ok) return named;
  const obstacles = [...unreported.values()];
  let hasSubmodules = false;
  for (const place of found) {
    if (!links.has(place) || !named.value.has(place)) {
      obstacles.push(
        `${nameFile(join(prefix, place))} is a separate repository that cannot land: move it out of the worktree, or remove its .git`,
      );
      continue;
    }
    hasSubmodules = true;
    const held = await heldBySubmodule(join(top, place), { prefix: join(prefix, place), starts }, world);
    if (!held.ok) return held;
    obstacles.push(...held.value);
  }
  return ok({ obstacles, hasSubmodules, unreported: [...unreported.keys()] });
}

/** Submodules that are not initialised and hold files, with the reason to keep them. */
function listUnreported(top: string, links: readonly string[], prefix: string): Map<string, string> {
  const empty = links.filter((place) => !isInitialised(join(top, place)));
  return new Map(
    empty.flatMap((place) => {
      const why = describeUnreported(top, place, join(prefix, place));
      return why === undefined ? [] : [[place, why] as const];
    }),
  );
}

/** A link is a link, wherever it leads: git keeps its text, and nothing behind it is removed with the checkout. */
function isRepository(top: string, place: string): boolean {
  if (!existsSync(join(top, place, '.git'))) return false;
  return resolveRealPath(join(top, place)) === join(resolveRealPath(top), place);
}

/** Where one can be: paths that git names, and every directory with files that it tracks or would. */
function listPlaces(entries: readonly CheckoutEntry[], { untracked, missing }: Status): string[] {
  const places = new Set<string>(missing);
  for (const { path, mode } of entries) if (mode === '160000') places.add(path);
  for (const path of untracked) if (path.endsWith('/')) places.add(path.slice(0, -1));
  for (const path of [...entries.map((entry) => entry.path), ...untracked])
    for (let up = dirname(path); up !== '.' && !places.has(up); up = dirname(up)) places.add(up);
  return [...places];
}

/** The paths that the checkout itself lists as submodules. */
async function listSubmodules(top: string, world: WorktreeWorld): Promise<Result<Set<string>>> {
  const list = join(top, '.gitmodules');
  if (!existsSync(list)) return ok(new Set());
  const args = ['config', '--null', '--file', list, '--get-regexp', '^submodule\\..*\\.path$'];
  const found = await bindGit(world, top)(args, { alsoGood: [1] });
  if (!found.ok) return found;
  return ok(new Set(found.value.split('\0').map((entry) => entry.slice(entry.indexOf('\n') + 1))));
}

/** A submodule contains nothing that could be lost if all of it is committed, and was there before or is on a remote. */
async function heldBySubmodule(
  path: string,
  around: Around,
  // A store of the outer repository is not one of the submodule.
  { objects: _, ...world }: WorktreeWorld,
): Promise<Result<string[]>> {
  const git = bindGit(world, path);
  const name = `the submodule ${nameFile(around.prefix)}`;
  const own = await git(['rev-parse', '--absolute-git-dir']);
  if (!own.ok) return own;
  return withIndexCopy(path, world, async ({ file, entries }) => {
    const status = await readStatus(git, file);
    if (!status.ok) return status;
    const unfinished = findUnfinished(oneLine(own.value));
    if (unfinished)
      return ok([describeUnfinished(unfinished, nameFiles(status.value.unmerged), ` in ${name}`)]);
    const nested = await findNested(path, entries, status.value, world, around);
    if (!nested.ok) return nested;
    const inside = nested.value.obstacles;
    const isUntouched = status.value.isClean || inside.length > 0;
    if (!isUntouched || status.value.head === '')
      return ok([`${name} holds changes that are not committed: commit and push them, or undo them`]);
    const unpushed = await describeUnpushed(git, name, around.starts[around.prefix] ?? []);
    return unpushed.ok ? ok([...inside, ...unpushed.value]) : unpushed;
  });
}
