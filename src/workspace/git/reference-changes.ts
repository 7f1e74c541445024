import { join } from 'node:path';
import { quote } from '../../lib/shell-quote.ts';
import { escapeHarnessTags } from '../../lib/text/harness-tags.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { type Essentials, findPacked, readEssentials } from './essentials.ts';
import { findGitData, type GitData } from './objects.ts';
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
 * Branches, tags, stashes and the head. References that `git fetch` moves are not a command's work; the branches of worktrees
 * (`cadre/<name>/work`) are created and removed by the harness itself.
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
    const isSeen = isWhole || (change.before !== null && change.after !== null);
    if (change.before !== change.after && isSeen && mayBeMoved(name)) changes.push(change);
  }
  return changes;
}

function mayBeMoved(name: string): boolean {
  return isHead(name) || name === 'refs/stash' || /^refs\/(?:heads\/(?!cadre\/)|tags\/)/.test(name);
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

/**
 * Describes the references that moved since the first of these changes, with the commands that restore them: one string per
 * repository.
 */
export function describeReferenceChanges(changes: readonly ReferenceChange[]): string[] {
  return [...Map.groupBy(changes, ({ root }) => root)].flatMap(([root, ofRoot]) => {
    const data = findGitData(root);
    if (!data) return [];
    const now = readValues({
      ...{ ...data, references: readReferences(data), essentials: readEssentials(data) },
    });
    const firsts = [...Map.groupBy(ofRoot, ({ name }) => name).values()].flatMap(([first]) => first ?? []);
    const moved = firsts.filter(({ name, before }) => (now.get(name) ?? null) !== before);
    if (moved.length === 0) return [];
    const lines = moved.slice(0, maxNamed).map((change) => describeOne(change, now.get(change.name) ?? null));
    const more = moved.length > maxNamed ? [`and ${moved.length - maxNamed} more`] : [];
    return [
      `Git's commits, branches and index in ${show(root)} are not rewound. References that commands moved there, and how to restore them: ${[...lines, ...more].join('; ')}.`,
    ];
  });
}

const maxNamed = 10;

function describeOne({ name, before }: ReferenceChange, now: string | null): string {
  const was = before === null ? 'did not exist' : `was ${show(before)}`;
  const is = now === null ? 'no longer exists' : `is ${show(now)}`;
  return `${show(name)} ${was} and ${is} (${show(formatCommand(name, before))})`;
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
