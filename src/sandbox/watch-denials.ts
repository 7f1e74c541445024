import { dirname } from '../lib/files/exact-paths.ts';
import { visibleLine } from '../lib/text/text.ts';
import { nameRule } from '../places/reasons.ts';
import type { Rule } from '../protocol/permission.ts';
import type { ConfinementScope, Launch, PathEntry } from '../protocol/sandbox.ts';
import { resolveOpened, resolveRealPath } from '../workspace/real-path.ts';
import { type Denials, findDenials } from './denials.ts';
import type { DeniedPath } from './denied-paths.ts';
import { readIdentity } from './guard/identities.ts';
import { isBelow, statEntry } from './guard/look.ts';
import { guardedDirectories } from './guard/protected-places.ts';
import type { SandboxOptions } from './options.ts';
import { isInOwnTree } from './temporary.ts';

export interface DenialWatchOptions {
  /** Paths that rules and settings hide, as they are now. */
  find(): readonly DeniedPath[];
  /** Who hides one. */
  name(rule: Rule): string;
  /** Directories in which a new name can be one of them. */
  around: readonly string[];
}

/**
 * A mount hides a file, not a name: when a process outside replaces the file, or creates one that did not exist, a command
 * that runs already can read it. Returns a function that says which path can be read; undefined while there is none.
 * `before`: the identities of hidden paths, read before they were mounted on. `paths`: the command's mounts.
 */
export function watchDenials(
  before: ReadonlyMap<string, string>,
  paths: readonly PathEntry[],
  { find, name, around }: DenialWatchOptions,
): () => string | undefined {
  let exposed: DeniedPath | undefined;
  let stamp = readStamp(around);
  const isNew = ({ path }: DeniedPath) => {
    const now = readIdentity(path);
    return now !== '' && now !== (before.get(path) ?? '') && isVisible(path, paths);
  };
  const known = find();
  return () => {
    // Names that fit a pattern, or where a link leads, are looked for again only where something changed.
    const now = readStamp(around);
    exposed ??= known.find(isNew) ?? (now === stamp ? undefined : find().find(isNew));
    stamp = now;
    return exposed && describe(exposed.path, name(exposed.rule));
  };
}

type DenialSettings = Pick<SandboxOptions, 'settings' | 'home' | 'userHome'>;

/** What hides paths from a command; paths that the user's settings show are not hidden. */
export function describeDenials(
  launch: Launch,
  scope: ConfinementScope,
  options: DenialSettings,
  roots: readonly string[],
  { reading }: Denials,
): DenialWatchOptions {
  const { allowRead } = options.settings.filesystem;
  const shown = resolveOpened(allowRead);
  const places = [...roots, ...scope.directories].map(resolveRealPath);
  return {
    find: () =>
      findDenials(launch, scope, options, roots).reading.filter(
        ({ path }) => !shown.some((one) => isBelow(path, one)),
      ),
    name: nameRule,
    around: [
      ...guardedDirectories([...new Set(places)], resolveRealPath(launch.cwd)),
      ...reading.flatMap(({ given }) => (given === undefined ? [] : [dirname(given)])),
    ],
  };
}

/** Whether a command with these mounts finds what is at a path, if that is not mounted on itself. */
function isVisible(path: string, paths: readonly PathEntry[]): boolean {
  const above = paths.filter((one) => one.path !== path && isBelow(path, one.path));
  const nearest = above.reduce<PathEntry | undefined>(
    (best, one) => (best && best.path.length > one.path.length ? best : one),
    undefined,
  );
  const strictest = above.find((one) => one.path === nearest?.path && one.access === 'none') ?? nearest;
  return strictest ? strictest.access !== 'none' : !isInOwnTree(path);
}

function readStamp(directories: readonly string[]): string {
  return directories.map((path) => statEntry(path)?.ctimeMs ?? 0).join(' ');
}

function describe(path: string, source: string): string {
  return `${visibleLine(path, 300)}, which ${source} hides, was created or replaced while the command ran, so the command could read it from then on. It was stopped, and its output since then is withheld. Start it again: then the file is hidden`;
}
