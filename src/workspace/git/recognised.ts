import { accessSync, constants, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { statEntry, statTarget } from '../../lib/files/entry-at.ts';
import { readBeginning } from '../../lib/files/read-bounded.ts';
import { resolveRealPath } from '../real-path.ts';
import { findCommonDirectory, findGitDirectory } from './directory.ts';
import { parseGitConfig } from './parse-config.ts';
import { readSettings } from './settings.ts';

/**
 * Why git may not take the data of a checkout for a repository. Then it looks further up, and uses another one than we judge.
 * By git's own rules, with the usual forms only: a head that names a reference or a commit, and beside it, or in
 * the directory that it shares with others, objects and references that this user may enter.
 */
export function describeUnrecognised(own: string, shared: string): string | undefined {
  if (!hasUsualHead(own)) return `${join(own, 'HEAD')} is in a form that git may not accept`;
  const missing = ['objects', 'refs'].find((name) => !isEntered(join(shared, name)));
  return missing && `${join(shared, missing)} is missing or not readable`;
}

/** Whether the nearest repository around a directory is the one that git uses there; also where there is none. */
export function isUsedByGit(directory: string, isSafe: (root: string) => boolean): boolean {
  for (let place: string = resolveRealPath(directory); ; place = dirname(place)) {
    if (statEntry(join(place, '.git'))) {
      const named = findGitDirectory(place);
      if (named === undefined) return false;
      const own = resolveRealPath(named);
      const shared = resolveRealPath(findCommonDirectory(own));
      return (describeUnrecognised(own, shared) ?? describeUnused(place, own, shared, isSafe)) === undefined;
    }
    if (place === dirname(place)) return true;
  }
}

/** Git reads no more of it. */
const maxHead = 255;

function hasUsualHead(own: string): boolean {
  const path = join(own, 'HEAD');
  const stat = statEntry(path);
  // As git made them once: the target need not exist.
  if (stat?.isSymbolicLink()) return readlinkSync(path).startsWith('refs/');
  if (!stat?.isFile()) return false;
  const read = readBeginning(path, maxHead);
  const text = read.state === 'read' ? read.bytes.toString('latin1') : '';
  return /^(?:ref:[ \t]{0,8}refs\/|[0-9a-f]{40})/.test(text);
}

function isEntered(directory: string): boolean {
  try {
    accessSync(directory, constants.X_OK);
    return statTarget(directory)?.isDirectory() === true;
  } catch {
    return false;
  }
}

/**
 * Why git may find the repository and not use it: then it acts as if there were none, and a comparison takes its operands for
 * files of any kind. `isSafe`: the user's settings name the checkout although it belongs to somebody else.
 */
export function describeUnused(
  root: string,
  own: string,
  shared: string,
  isSafe: (root: string) => boolean,
): string | undefined {
  const settings = readSettings(join(shared, 'config'));
  if (!settings || !parseGitConfig(settings.toString('utf8')).every(isOfKnownFormat))
    return 'git may not be able to read its format';
  const isOwn = [root, join(root, '.git'), own].every((path) => statEntry(path)?.uid === process.geteuid?.());
  return isOwn || isSafe(root) ? undefined : 'it belongs to another user';
}

function isOfKnownFormat({
  section,
  name,
  value,
}: {
  section: string;
  name: string;
  value: string;
}): boolean {
  if (section === 'core' && name === 'repositoryformatversion') return value === '0' || value === '1';
  if (section !== 'extensions') return true;
  return name === 'objectformat' ? /^sha(?:1|256)$/.test(value) : knownExtensions.has(name);
}

const knownExtensions = new Set(['noop', 'noop-v1', 'preciousobjects', 'partialclone', 'worktreeconfig']);
