import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { statEntry } from '../../lib/files/entry-at.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { randomIds } from '../../lib/ids.ts';
import { quote } from '../../lib/shell-quote.ts';

/** A merge, rebase or the like that a command ended or began. */
export interface OperationChange {
  root: string;
  kind: string;
  /** Our copy of its files, with the index of then; null where the command began it. */
  copy: string | null;
}

/** What is unfinished in a checkout, with the files that git keeps about it. */
export interface Operations {
  kinds: ReadonlySet<string>;
  /** By their names in the git directory. */
  files: ReadonlyMap<string, Buffer>;
}

/** What shows that an operation is unfinished, and how to leave it without a change to the files. */
const operations: readonly { kind: string; marks: readonly string[]; leave: string }[] = [
  { kind: 'merge', marks: ['MERGE_HEAD'], leave: 'git merge --quit' },
  { kind: 'rebase', marks: ['rebase-merge', 'rebase-apply'], leave: 'git rebase --quit' },
  { kind: 'cherry-pick', marks: ['CHERRY_PICK_HEAD'], leave: 'git cherry-pick --quit' },
  { kind: 'revert', marks: ['REVERT_HEAD'], leave: 'git revert --quit' },
  { kind: 'bisection', marks: ['BISECT_LOG'], leave: 'git bisect reset HEAD' },
];

/** The files of them all, and the directories. */
const isPart =
  /^(?:MERGE_\w+|AUTO_MERGE|SQUASH_MSG|(?:CHERRY_PICK|REVERT|REBASE|ORIG)_HEAD|BISECT_\w+|rebase-merge|rebase-apply|sequencer)$/;

const maxFiles = 500;
const maxBytes = 8 * 1024 * 1024;

/** `own` is the git directory of the checkout. */
export function readOperations(own: string): Operations {
  const names = listNames(own);
  const kinds = findKinds(names);
  if (kinds.size === 0) return none;
  const files = new Map<string, Buffer>();
  let room = maxBytes;
  const ahead = names.filter((name) => isPart.test(name));
  for (let name = ahead.pop(); name !== undefined && files.size < maxFiles; name = ahead.pop()) {
    const path = join(own, name);
    if (statEntry(path)?.isDirectory()) {
      for (const inner of listNames(path)) ahead.push(`${name}/${inner}`);
      continue;
    }
    const read = readBounded(path, room, { refusesLinks: true });
    if (read.state !== 'read') continue;
    files.set(name, read.bytes);
    room -= read.bytes.length;
  }
  return { kinds, files };
}

const none: Operations = { kinds: new Set(), files: new Map() };

function findKinds(names: readonly string[]): ReadonlySet<string> {
  const present = new Set(names);
  return new Set(
    operations.flatMap(({ kind, marks }) => (marks.some((mark) => present.has(mark)) ? [kind] : [])),
  );
}

/** After a command: what it ended is copied to a place of ours, with the index as it was. */
export function compareOperations(
  root: string,
  before: Operations & { index: Buffer | undefined },
  now: Operations,
  place: string | undefined,
): OperationChange[] {
  const begun = [...now.kinds.difference(before.kinds)].map((kind) => ({ root, kind, copy: null }));
  const ended = [...before.kinds.difference(now.kinds)];
  const copy = ended.length > 0 && place !== undefined ? copyFiles(before, place) : undefined;
  return [...begun, ...(copy === undefined ? [] : ended.map((kind) => ({ root, kind, copy })))];
}

function copyFiles(
  { files, index }: Parameters<typeof compareOperations>[1],
  place: string,
): string | undefined {
  const copy = join(place, randomIds.token(8));
  try {
    for (const [name, bytes] of [...files, ...(index ? [['index', index] as const] : [])]) {
      mkdirSync(join(copy, dirname(name)), { recursive: true, mode: 0o700 });
      writeFileSync(join(copy, name), bytes, { flag: 'wx', mode: 0o600 });
    }
    return copy;
  } catch {
    return undefined;
  }
}

/** The objects that a copy names: those of its index are told by the index itself. */
export function listNamedObjects(copy: string): string[] {
  const { files } = readOperations(copy);
  return [...files].flatMap(([name, bytes]) =>
    name === 'index' ? [] : (bytes.toString('latin1').match(/\b(?:[0-9a-f]{40}|[0-9a-f]{64})\b/g) ?? []),
  );
}

export function isUnfinished(own: string, kind: string): boolean {
  return findKinds(listNames(own)).has(kind);
}

/** How a change is undone. */
export function formatOperation({ kind, copy }: OperationChange, own: string): string {
  if (copy !== null) return `cp -R ${quote(`${copy}/.`)} ${quote(own)}`;
  return operations.find((one) => one.kind === kind)?.leave ?? '';
}
