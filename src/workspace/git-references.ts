import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeAtomic } from '../lib/atomic.ts';
import { stampOf } from '../lib/change-time.ts';
import { entryAt } from '../lib/entry-at.ts';
import { holdDirectory } from '../lib/hold-directory.ts';
import { readBoundedText } from '../lib/read-bounded.ts';
import type { GitData } from './git-objects.ts';

export interface Reference {
  text: string;
  /** When it stays, the file is not read again. */
  stamp: string | undefined;
}

/** The head of a repository and the references that are files of their own, by their paths. */
export type References = ReadonlyMap<string, Reference>;

const maxReferences = 200;
const maxDirectories = 200;
const maxBytes = 4096;

/** Reads those whose text git can follow. `own` is the git directory of the checkout, `shared` has the branches. */
export function readReferences({ own, shared }: GitData, before: References = new Map()): References {
  const found = new Map<string, Reference>();
  for (const path of [join(own, 'HEAD'), ...referenceFiles(join(shared, 'refs'))]) {
    const reference = readReference(path, before.get(path));
    if (reference) found.set(path, reference);
  }
  return found;
}

/** References that are still there, and of which git can no longer say where they lead. */
export function findEmptied(before: References, now: References): string[] {
  return [...before.keys()].filter((path) => !now.has(path) && entryAt(path)?.isFile() === true);
}

/** Gives a reference its old text again. False where that did not work, or a link is in the way. */
export function putReferenceBack(path: string, text: string): boolean {
  const held = holdDirectory(dirname(path));
  if (!held.ok) return false;
  try {
    const here = join(held.value.path, basename(path));
    const { mode, uid, gid } = lstatSync(here);
    return writeAtomic(here, text, mode & 0o777, undefined, { uid, gid }).ok;
  } catch {
    return false;
  } finally {
    held.value.close();
  }
}

/** The branch that a head names, such as `refs/heads/main`; undefined for a head that names a commit. */
export function branchIn(head: string | undefined): string | undefined {
  return /^ref: (refs\/\S+)/.exec(head ?? '')?.[1];
}

/** The commit that a reference leads to by its own text; undefined for one that names another. */
export function commitIn(text: string | undefined): string | undefined {
  return /^([0-9a-f]{40}|[0-9a-f]{64})\s*$/.exec(text ?? '')?.[1];
}

/** The commit of a branch among the packed references. */
export function findPacked(shared: string, branch: string): string | undefined {
  const text = readBoundedText(join(shared, 'packed-refs'), maxPacked) ?? '';
  const line = text.split('\n').find((one) => one.endsWith(` ${branch}`));
  return line === undefined ? undefined : commitIn(line.slice(0, line.indexOf(' ')));
}

const maxPacked = 16 * 1024 * 1024;

/** Undefined where it is missing, or git could not follow it. */
function readReference(path: string, before: Reference | undefined): Reference | undefined {
  const stat = entryAt(path);
  const stamp = stat && stampOf(stat);
  if (before && stamp !== undefined && before.stamp === stamp) return before;
  const text = readBoundedText(path, maxBytes, { refusesLinks: true });
  const isSound = commitIn(text) !== undefined || branchIn(text) !== undefined;
  return text !== undefined && isSound ? { text, stamp } : undefined;
}

function referenceFiles(top: string): string[] {
  const files: string[] = [];
  const ahead = [top];
  for (let at = 0; at < Math.min(ahead.length, maxDirectories) && files.length < maxReferences; at++) {
    const directory = ahead[at] ?? '';
    for (const entry of entriesOf(directory))
      if (entry.isDirectory()) ahead.push(join(directory, entry.name));
      else if (entry.isFile()) files.push(join(directory, entry.name));
  }
  return files.slice(0, maxReferences);
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
