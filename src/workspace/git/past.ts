import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { findRoot } from '../workspace.ts';
import { runGitNow } from './now.ts';
import { findGitData, type GitData, hidesObjects } from './objects.ts';

/** Everything a repository ever tracked: on all branches, in stashes and reflogs, of all its worktrees. */
export interface Past {
  /** Absolute, as if all of them were in the present checkout. */
  readonly paths: readonly string[];
  /** The ids of all commits. */
  readonly commits: ReadonlySet<string>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Looks up everything the repository around a directory ever tracked; empty outside a repository, undefined where it takes
 * too long. An answer is valid until a branch, a tag, a stash or a reflog changes; a failure for a minute.
 */
export function openPast(
  environment: Environment,
  clock: Clock = systemClock,
): (directory: string) => Past | undefined {
  const known = new Map<string, { state: string; at: number; past: Past | undefined }>();
  return (directory) => {
    const root = findRoot(directory);
    if (root === undefined) return { paths: [], commits: new Set() };
    const data = findGitData(root);
    const state = data && describeState(data);
    if (!data || state === undefined) return undefined;
    const before = known.get(root);
    const now = clock.monotonic();
    if (before?.state === state && (before.past || now - before.at < failureHoldsMs)) return before.past;
    const past = hidesObjects(data.shared) ? undefined : readPast(root, environment);
    if (known.size > 20) known.clear();
    known.set(root, { state, at: now, past });
    return past;
  };
}

const failureHoldsMs = 60_000;

function readPast(root: string, environment: Environment): Past | undefined {
  const run = (args: readonly string[]) => runGitNow(args, { cwd: root, environment });
  // A reference to anything but a commit shows files that no commit names.
  const references = run(['for-each-ref', '--format=%(objecttype) %(*objecttype)']);
  if (references === undefined || !/^(?:(?:commit |tag commit)\n)*$/.test(references)) return undefined;
  const commits = run(['rev-list', '--all', '--reflog']);
  // In a merge only files that none of its parents has are new.
  const names = run([
    ...['log', '--all', '--reflog', '--no-renames', '--diff-merges=combined', '--no-mailmap'],
    ...['--format=', '--name-only', '-z'],
  ]);
  if (commits === undefined || names === undefined) return undefined;
  const paths = new Set(names.split('\0').filter((name) => name !== ''));
  return {
    paths: [...paths].map((name) => join(root, name)),
    commits: new Set(commits.split('\n').filter((id) => id !== '')),
  };
}

/** Changes whenever a reference or a reflog does; undefined when there are too many of them. */
function describeState({ own, shared }: GitData): string | undefined {
  const parts: string[] = [];
  const waiting = [own, shared].flatMap((place) =>
    ['HEAD', 'packed-refs', 'shallow', 'refs', 'logs', 'reftable'].map((name) => join(place, name)),
  );
  for (const name of listNames(join(shared, 'worktrees')))
    waiting.push(...['HEAD', 'logs', 'refs'].map((one) => join(shared, 'worktrees', name, one)));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) continue;
    if (parts.length > maxReferences) return undefined;
    parts.push(`${path} ${found.ino} ${found.size} ${found.ctimeMs}`);
    if (found.isDirectory()) for (const name of listNames(path)) waiting.push(join(path, name));
  }
  return parts.join('\n');
}

const maxReferences = 20_000;
