import { join } from 'node:path';
import { readBounded } from '../lib/files/read-bounded.ts';
import { hashGitBlob } from '../lib/hash.ts';
import { quote } from '../lib/shell-quote.ts';
import { escapeHarnessTags } from '../lib/text/harness-tags.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { CallsSince } from '../store/calls-since.ts';
import type { SessionLayout } from '../store/layout.ts';
import { parseIndex } from '../workspace/git/git-index.ts';
import { locateKept } from '../workspace/git/kept-objects.ts';
import { findGitData, type GitData } from '../workspace/git/objects.ts';
import {
  formatOperation,
  isUnfinished,
  listNamedObjects,
  type OperationChange,
} from '../workspace/git/operations.ts';
import {
  describeMoved,
  findStillMoved,
  type MovedReference,
  word,
} from '../workspace/git/reference-changes.ts';
import { bringObjects } from '../workspace/git/rescue.ts';
import { readStaged, type StagedChange } from '../workspace/git/staged.ts';

export interface GitDataPlace {
  files: Pick<SessionLayout, 'gitObjects' | 'fileHistory'>;
  env: Record<string, string>;
  /** Nothing is changed. */
  isPreview: boolean;
}

export interface GitDataReport {
  /** In sentences: what is not rewound, and how to restore it. */
  said: string[];
  /** Something is lost. */
  isIncomplete: boolean;
}

/**
 * Git's own data is not rewound, since the user's work may be among it. What commands moved there is described with the
 * commands that restore it, and objects that these need and that git deleted since are put back from what was kept.
 */
export async function settleGitData(
  { references, unstaged, operations, gitObjects }: CallsSince,
  place: GitDataPlace,
): Promise<GitDataReport> {
  const report: GitDataReport = { said: [], isIncomplete: false };
  const all = [references, unstaged, operations, gitObjects].flat();
  for (const root of new Set(all.map((one) => one.root))) {
    const data = findGitData(root);
    if (!data) continue;
    const isHere = (one: { root: string }) => one.root === root;
    const found: Found = {
      root,
      moved: findStillMoved(
        data,
        references.filter(isHere).toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
      ),
      unstaged: findStillUnstaged(data, root, unstaged.filter(isHere)),
      operations: findStillEnded(data, operations.filter(isHere)),
    };
    const offered = gitObjects.filter(isHere).flatMap(({ ids }) => ids);
    const lost = await bring(data, found, offered, place);
    report.said.push(...describeFound(data, found, lost));
    if (lost.size > 0) report.isIncomplete = true;
  }
  return report;
}

interface Found {
  root: string;
  moved: MovedReference[];
  unstaged: StagedChange[];
  operations: OperationChange[];
}

/** The first state of each file counts. One whose file holds the same is not lost. */
function findStillUnstaged({ own }: GitData, root: string, changes: readonly StagedChange[]): StagedChange[] {
  if (changes.length === 0) return [];
  const read = readBounded(join(own, 'index'), maxIndex);
  const now = readStaged(read.state === 'read' ? read.bytes : undefined);
  const firsts = [...Map.groupBy(changes, ({ path }) => path).values()].flatMap(([first]) => first ?? []);
  return firsts.filter(({ path, id }) => {
    if (now?.get(path)?.id === id) return false;
    const file = readBounded(join(root, path), maxCompared, { refusesLinks: true });
    return file.state !== 'read' || hashGitBlob(file.bytes) !== id;
  });
}

const maxIndex = 16 * 1024 * 1024;
const maxCompared = 10 * 1024 * 1024;

/** The first of each kind: one that was ended and begun again is another one. */
function findStillEnded({ own }: GitData, changes: readonly OperationChange[]): OperationChange[] {
  const firsts = [...Map.groupBy(changes, ({ kind }) => kind).values()].flatMap(([first]) => first ?? []);
  return firsts.filter(({ kind, copy }) => copy !== null || isUnfinished(own, kind));
}

/** Returns the objects that nobody has any more. */
async function bring(
  { shared }: GitData,
  { root, moved, unstaged, operations }: Found,
  offered: readonly string[],
  { files, env, isPreview }: GitDataPlace,
): Promise<ReadonlySet<string>> {
  const copies = operations.flatMap(({ copy }) => copy ?? []);
  const ids = new Set([
    ...moved.flatMap(({ before }) => (before === null || before.startsWith('refs/') ? [] : [before])),
    ...unstaged.map(({ id }) => id),
    ...offered,
  ]);
  const options = { env, isPreview, place: locateKept(files.gitObjects, shared), scratch: files.fileHistory };
  const objects = join(shared, 'objects');
  const lost = ids.size === 0 ? new Set<string>() : await bringObjects(root, objects, [...ids], options);
  // A copy may name what never was in this repository.
  const named = [...new Set(copies.flatMap((copy) => [...listIndexed(copy), ...listNamedObjects(copy)]))];
  if (named.length > 0) await bringObjects(root, objects, named, options);
  return lost;
}

function listIndexed(copy: string): string[] {
  const read = readBounded(join(copy, 'index'), maxIndex, { refusesLinks: true });
  return read.state === 'read' ? (parseIndex(read.bytes) ?? []).map(({ id }) => id) : [];
}

const maxNamed = 10;

function describeFound(
  { own }: GitData,
  { root, moved, unstaged, operations }: Found,
  lost: ReadonlySet<string>,
): string[] {
  const lines = [
    ...listSome(moved.map((one) => describeMoved(one, lost))),
    ...listSome(unstaged.map((one) => describeUnstaged(one, lost))),
    ...operations.map((one) => describeOperation(one, own)),
  ];
  if (lines.length === 0) return [];
  return [
    `Git's commits, branches and index in ${show(root)} are not rewound. What commands moved there, and how to restore it: ${lines.join('; ')}.`,
  ];
}

function listSome(lines: readonly string[]): string[] {
  const more = lines.length > maxNamed ? [`and ${lines.length - maxNamed} more`] : [];
  return [...lines.slice(0, maxNamed), ...more];
}

/** The command chooses the names: pasting this into a shell must run nothing else. */
function describeUnstaged({ root, path, mode, id }: StagedChange, lost: ReadonlySet<string>): string {
  const entry = word(`${mode.toString(8)},${id},${path}`);
  const how = lost.has(id)
    ? 'lost: git no longer has it'
    : `git -C ${quote(root)} update-index --add --cacheinfo ${entry}`;
  return `staged content of ${show(path)} is no longer staged (${show(how)})`;
}

function describeOperation(change: OperationChange, own: string): string {
  const how = show(formatOperation(change, own));
  return change.copy === null
    ? `a ${change.kind} is unfinished that was not begun then (${how})`
    : `the unfinished ${change.kind} of then is over (${how})`;
}

function show(name: string): string {
  return escapeHarnessTags(visibleLine(name, 1_000));
}
