import type { Stats } from 'node:fs';
import { statTarget } from '../../lib/files/entry-at.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { readBeginning, readBoundedText } from '../../lib/files/read-bounded.ts';
import { findRoot } from '../workspace.ts';
import { findCommonDirectory, findGitDirectory, listGitDirectories } from './directory.ts';
import { runsConfiguredPrograms } from './neutral.ts';

/** Something in git's own directory that stops every git: git would wait for it, or read endlessly. */
export interface Obstacle {
  path: string;
  /** For example `a named pipe`. */
  what: string;
}

/** Files of the checkout's own directory that git always opens. */
const ownNames = ['HEAD', 'index', 'commondir', 'config.worktree'];

/** The same in the directory that worktrees share. */
const sharedNames = [
  ...['config', 'packed-refs', 'shallow'],
  ...['info/exclude', 'info/attributes', 'info/grafts', 'info/sparse-checkout'],
  ...[
    'objects/info/alternates',
    'objects/info/commit-graph',
    'objects/info/commit-graphs/commit-graph-chain',
  ],
  'objects/pack/multi-pack-index',
];

/** In the work tree. Ignore files are checked where files are listed. */
const treeNames = ['.gitmodules', '.gitattributes'];

/** Git maps these, and reads only parts of them. */
const mapped = /\/(?:commit-graph|multi-pack-index)$/;

const maxBytes = 256 * 1024 * 1024;
const maxIndexBytes = 2 * 1024 * 1024 * 1024;

/**
 * Checks the places that every git opens, without opening them. A command may write in git's directory: a named pipe or an
 * endless file there would stop each later git, including the user's own.
 */
export function findObstacles({ own, shared }: { own: string; shared: string }, top?: string): Obstacle[] {
  const branch = /^ref: (refs\/\S+)/.exec(readStart(join(own, 'HEAD')))?.[1];
  const places = [
    ...listGitDirectories({ own, shared }).flatMap((directory) =>
      ownNames.map((name) => join(directory, name)),
    ),
    ...sharedNames.map((name) => join(shared, name)),
    ...(branch === undefined ? [] : [join(shared, branch)]),
    ...(top === undefined ? [] : treeNames.map((name) => join(top, name))),
  ];
  return places.flatMap((path) => {
    const stat = statTarget(path);
    const what = stat && (describeObstacle(path, stat) ?? describeUnreadable(path, stat));
    return what === undefined ? [] : [{ path, what }];
  });
}

/**
 * `args` begin with the subcommand. The first obstacle for a git that is to be started in a directory; undefined also outside
 * a repository.
 */
export function findObstacleForGit(
  args: readonly string[],
  { cwd, gitDirectory }: { cwd: string; gitDirectory?: string | undefined },
): Obstacle | undefined {
  const top = findRoot(cwd);
  const own = gitDirectory ?? (top === undefined ? undefined : findGitDirectory(top));
  if (own === undefined) return undefined;
  const isForNames = namesOnly.has(args[0] ?? '') || !runsConfiguredPrograms(args);
  return findObstacles({ own, shared: findCommonDirectory(own) }, isForNames ? undefined : top)[0];
}

/** They read neither attributes nor submodules. */
const namesOnly: ReadonlySet<string> = new Set(['ls-files', 'check-ignore']);

/** The kind of an entry that git cannot read to its end; undefined for all others, including directories. */
export function describeObstacle(path: string, stat: Stats): string | undefined {
  if (stat.isFIFO()) return 'a named pipe';
  if (stat.isCharacterDevice() || stat.isBlockDevice()) return 'a device';
  if (!stat.isFile() || mapped.test(path)) return undefined;
  const limit = path.endsWith('/index') ? maxIndexBytes : maxBytes;
  return stat.size > limit ? `a file of ${stat.size} bytes` : undefined;
}

/** What git cannot read, and stops at. Packed references and the index are read elsewhere. */
function describeUnreadable(path: string, stat: Stats): string | undefined {
  if (mapped.test(path) && stat.isDirectory()) return 'a directory';
  if (!path.endsWith('/shallow') || !stat.isFile()) return undefined;
  const text = readBoundedText(path, maxShallowBytes) ?? '';
  return /^(?:[0-9a-f]{40}\n|[0-9a-f]{64}\n)*$/.test(text) ? undefined : 'text that git cannot read';
}

const maxShallowBytes = 1024 * 1024;

function readStart(file: string): string {
  const read = readBeginning(file, 1024);
  return read.state === 'read' ? read.bytes.toString('latin1') : '';
}
