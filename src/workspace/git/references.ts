import { lstatSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeAtomic } from '../../lib/files/atomic.ts';
import { formatStamp } from '../../lib/files/change-time.ts';
import { statEntry } from '../../lib/files/entry-at.ts';
import { holdDirectory } from '../../lib/files/hold-directory.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { randomIds } from '../../lib/ids.ts';
import { listGitDirectories } from './directory.ts';
import type { KeptFile } from './essentials.ts';
import type { GitData } from './objects.ts';

export interface Reference extends Omit<KeptFile, 'bytes'> {
  text: string;
}

/** The heads of a repository and its loose references. */
export interface References {
  /** By path: those whose text git can follow. */
  readonly files: ReadonlyMap<string, Reference>;
  /** Pipes, devices and endless files among them. */
  readonly odd: readonly string[];
  /** False where there are more than are read. */
  readonly isWhole: boolean;
}

const maxReferences = 200;
const maxDirectories = 200;
const maxBytes = 4096;
/** Git reads them whole, for each `git status`. */
const endlessBytes = 1024 * 1024;

/**
 * `own` is the git directory of the checkout, `shared` has the branches. For a linked worktree `shared` is also the git
 * directory of the main checkout, which a command in the worktree can reach.
 */
export function readReferences({ own, shared }: GitData, before?: References): References {
  const files = new Map<string, Reference>();
  const listed = listReferences(join(shared, 'refs'));
  for (const path of [...listHeads({ own, shared }), ...listed.files]) {
    const reference = readReference(path, before?.files.get(path));
    if (reference) files.set(path, reference);
  }
  const endless = listed.files.filter(
    (path) => !files.has(path) && (statEntry(path)?.size ?? 0) > endlessBytes,
  );
  return { files, odd: [...listed.odd, ...endless], isWhole: listed.isWhole };
}

/** The head of the checkout, and that of the main one where it is another. */
export function listHeads(data: GitData): string[] {
  return listGitDirectories(data).map((directory) => join(directory, 'HEAD'));
}

/**
 * References that exist but that git can no longer follow. A head is never missing; others may be removed, and a branch `a`
 * may make way for `a/b`.
 */
export function findEmptied(before: References, now: References, heads: readonly string[]): string[] {
  return [...before.files.keys()].filter((path) => {
    if (now.files.has(path)) return false;
    const entry = statEntry(path);
    if (!heads.includes(path) && (!entry || entry.isDirectory() || entry.isSymbolicLink())) return false;
    // Among too many it may only have been skipped.
    return now.isWhole || readReference(path, undefined) === undefined;
  });
}

/** Writes a file again as it was. False where that failed, or a link is in the way. */
export function putFileBack(
  path: string,
  { text, bytes, mode, uid, gid }: Partial<Reference & KeptFile>,
): boolean {
  const content = text ?? bytes;
  const held = content === undefined ? undefined : holdDirectory(dirname(path));
  if (content === undefined || !held?.ok) return false;
  try {
    const here = join(held.value.path, basename(path));
    const found = lstatSync(here, { throwIfNoEntry: false });
    // A directory cannot be replaced by a file.
    if (found?.isDirectory()) renameSync(here, `${here}.removed-${randomIds.token(8)}`);
    const owner = uid === undefined || gid === undefined ? undefined : { uid, gid };
    return writeAtomic(here, content, (mode ?? 0o644) & 0o777, undefined, owner).ok;
  } catch {
    return false;
  } finally {
    held.value.close();
  }
}

/** The branch that a head names, such as `refs/heads/main`; undefined for a head that names a commit, or nothing. */
export function parseBranch(head: string | undefined): string | undefined {
  const name = /^ref:\s*(refs\/\S+)\s*$/.exec(head ?? '')?.[1];
  return name !== undefined && isReferenceName(name) ? name : undefined;
}

/** The commit that a reference names directly; undefined for one that names another reference. */
export function parseCommit(text: string | undefined): string | undefined {
  const id = /^([0-9a-f]{40}|[0-9a-f]{64})\s*$/.exec(text ?? '')?.[1];
  return id === undefined || /^0+$/.test(id) ? undefined : id;
}

/** Git's own rules (`git check-ref-format`): it does not read others, so they lead nowhere. */
export function isReferenceName(name: string): boolean {
  const isPart = (part: string) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock');
  return name.split('/').every(isPart) && !/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\.$/.test(name);
}

/** Undefined where it is missing, or git could not follow it. */
function readReference(path: string, before: Reference | undefined): Reference | undefined {
  const stat = statEntry(path);
  const stamp = stat && formatStamp(stat);
  if (before && stamp !== undefined && before.stamp === stamp) return before;
  const text = readBoundedText(path, maxBytes, { refusesLinks: true });
  const isSound = parseCommit(text) !== undefined || parseBranch(text) !== undefined;
  if (!stat || text === undefined || !isSound) return undefined;
  const { mode, uid, gid } = stat;
  return { text, mode, uid, gid, stamp };
}

function listReferences(top: string): { files: string[]; odd: string[]; isWhole: boolean } {
  const files: string[] = [];
  const odd: string[] = [];
  const ahead = [top];
  for (let at = 0; at < Math.min(ahead.length, maxDirectories) && files.length < maxReferences; at++) {
    const directory = ahead[at] ?? '';
    for (const entry of listEntries(directory)) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) ahead.push(path);
      else if (entry.isFile()) files.push(path);
      else if (entry.isFIFO() || entry.isCharacterDevice() || entry.isBlockDevice()) odd.push(path);
    }
  }
  const isWhole = ahead.length <= maxDirectories && files.length < maxReferences;
  return { files: files.slice(0, maxReferences), odd, isWhole };
}

function listEntries(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
