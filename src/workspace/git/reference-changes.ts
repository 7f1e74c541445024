import { join } from 'node:path';
import { statEntry } from '../../lib/files/entry-at.ts';
import { quote } from '../../lib/shell-quote.ts';
import { escapeHarnessTags } from '../../lib/text/harness-tags.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { type Essentials, findPacked, readEssentials } from './essentials.ts';
import type { GitData } from './objects.ts';
import { parseBranch, parseCommit, type References, readReferences } from './references.ts';

/** A reference that leads elsewhere than before a command. */
export interface ReferenceChange {
  /** The top of the repository. */
  root: string;
  /** `HEAD`, `refs/heads/main`. */
  name: string;
  /** A commit, or the name of another reference; null where there was none. */
  before: string | null;
  after: string | null;
}

/** References at one moment. */
export interface ReferenceState extends GitData {
  references: References;
  essentials: Essentials;
}

/**
 * Every reference, and the head. That `git fetch` moves or makes those of other repositories is not named, only that one is
 * gone; the branches of worktrees (`cadre/<name>/work`) are created and removed by the harness itself.
 */
export function findReferenceChanges(
  root: string,
  before: ReferenceState,
  now: ReferenceState,
): ReferenceChange[] {
  if (isSame(before, now)) return [];
  const [old, present] = [readValues(before), readValues(now)];
  const isWhole = before.references.isWhole && now.references.isWhole;
  const changes: ReferenceChange[] = [];
  for (const name of new Set([...old.keys(), ...present.keys()])) {
    const change = { root, name, before: old.get(name) ?? null, after: present.get(name) ?? null };
    const isSeen = isWhole || (change.before !== null && (change.after !== null || isGone(name, now)));
    if (change.before !== change.after && isSeen && mayBeMoved(change)) changes.push(change);
  }
  return changes;
}

function mayBeMoved({ name, after }: ReferenceChange): boolean {
  if (name.startsWith('refs/remotes/')) return after === null;
  return !name.startsWith('refs/heads/cadre/');
}

/** Among too many it may only have been skipped. */
function isGone(name: string, { shared }: GitData): boolean {
  return statEntry(join(shared, name)) === undefined;
}

function isHead(name: string): boolean {
  return name === 'HEAD' || name === mainHead;
}

/** As git itself calls the head of the main checkout in a linked worktree. */
export const mainHead = 'main-worktree/HEAD';

function isSame(before: ReferenceState, now: ReferenceState): boolean {
  const [old, present] = [before.references.files, now.references.files];
  return (
    findPacked(before.essentials, before) === findPacked(now.essentials, now) &&
    old.size === present.size &&
    [...old].every(([path, { text }]) => present.get(path)?.text === text)
  );
}

/** A file takes precedence over the packed references. */
function readValues({ own, shared, references, essentials }: ReferenceState): Map<string, string> {
  const values = new Map(findPacked(essentials, { own, shared }));
  for (const [path, { text }] of references.files) {
    const name = nameReference(path, { own, shared });
    const value = parseBranch(text) ?? parseCommit(text);
    if (value !== undefined) values.set(name, value);
  }
  return values;
}

function nameReference(path: string, { own, shared }: GitData): string {
  if (path === join(own, 'HEAD')) return 'HEAD';
  return path === join(shared, 'HEAD') ? mainHead : path.slice(shared.length + 1);
}

/** The references that moved since the first of these changes, and still lead elsewhere, in a repository. */
export function findStillMoved(data: GitData, changes: readonly ReferenceChange[]): MovedReference[] {
  const now = readValues({ ...data, references: readReferences(data), essentials: readEssentials(data) });
  const firsts = [...Map.groupBy(changes, ({ name }) => name).values()].flatMap(([first]) => first ?? []);
  return firsts
    .map(({ name, before }) => ({ name, before, now: now.get(name) ?? null }))
    .filter(({ before, now }) => before !== now);
}

export interface MovedReference extends Pick<ReferenceChange, 'name' | 'before'> {
  now: string | null;
}

/** With the command that restores it, unless nobody has the object any more. */
export function describeMoved({ name, before, now }: MovedReference, lost: ReadonlySet<string>): string {
  const was = before === null ? 'did not exist' : `was ${show(before)}`;
  const is = now === null ? 'no longer exists' : `is ${show(now)}`;
  const how =
    before !== null && lost.has(before) ? 'lost: git no longer has it' : formatCommand(name, before);
  return `${show(name)} ${was} and ${is} (${show(how)})`;
}

/** The command chooses the names: pasting this into a shell must run nothing else. */
function formatCommand(name: string, before: string | null): string {
  if (before === null) return `git update-ref -d ${word(name)}`;
  if (before.startsWith('refs/')) return `git symbolic-ref ${word(name)} ${word(before)}`;
  return `git update-ref ${isHead(name) ? '--no-deref ' : ''}${word(name)} ${word(before)}`;
}

export function word(name: string): string {
  return /^[\w./@+-]+$/.test(name) ? name : quote(name);
}

function show(name: string): string {
  return escapeHarnessTags(visibleLine(name, 300));
}
