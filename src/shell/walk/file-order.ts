import { basename } from 'node:path';
import type { CallWorkspace } from '../../places/types.ts';
import { isWithin } from '../../workspace/paths.ts';
import type { Overlap } from '../grammar/types.ts';
import { type FileChange, findFileChanges, waiting } from './file-changes.ts';
import type { JudgedCommand, Script } from './script.ts';

/** For each part of a line, how files may have changed since the line began when it runs. */
export type ChangesBefore = ReadonlyMap<JudgedCommand, readonly FileChange[]>;

/** With more changes, a line is treated as one that changes anything. */
const maxChanges = 64;

export function findChangesBefore(
  { parsed: { overlaps }, commands }: Script,
  workspace: CallWorkspace,
): ChangesBefore {
  const before = new Map<JudgedCommand, readonly FileChange[]>();
  const own = bounded(commands.map((one) => changesWithin(one, workspace)));
  for (const { to, how } of overlaps) if (how === 'endless') own[to - 1] = [...(own[to - 1] ?? []), waiting];
  if (own.every((changes) => changes.length === 0)) return before;
  const rest: (readonly FileChange[])[] = [];
  for (let index = own.length - 1; index >= 0; index--)
    rest[index] = union(rest[index + 1] ?? [], own[index] ?? []);
  const reaches = findReaches(overlaps, commands.length);
  let seen: readonly FileChange[] = [];
  const entered = new Set<string>();
  for (const [index, one] of commands.entries()) {
    const { until, isAgain } = reaches[index] ?? { until: 0, isAgain: false };
    const later = until === Infinity ? (rest[index + 1] ?? []) : own.slice(index + 1, until).flat();
    const beside = [...later, ...(isAgain ? (own[index] ?? []) : [])].map(underfoot);
    placeChanges(one, union(seen, beside), workspace, before);
    for (const directory of directoriesWithin(one)) entered.add(workspace.realPath(directory));
    seen = union(seen, own[index]?.map((change) => markEntered(change, entered)) ?? []);
  }
  return before;
}

/** Commands that another one runs are assumed to run in any order. */
function placeChanges(
  one: JudgedCommand,
  changes: readonly FileChange[],
  workspace: CallWorkspace,
  before: Map<JudgedCommand, readonly FileChange[]>,
): void {
  if (changes.length > 0) before.set(one, changes);
  if (one.inner.length === 0) return;
  const isAgain = /^(?:find|xargs)$/.test(basename(one.command.words[0]?.text ?? ''));
  const own = findFileChanges(one, workspace);
  const inner = one.inner.map((command) => changesWithin(command, workspace));
  for (const [index, command] of one.inner.entries()) {
    const others = inner.flatMap((list, at) => (at !== index || isAgain ? list : []));
    placeChanges(command, union(changes, [...own, ...others].map(underfoot)), workspace, before);
  }
}

function changesWithin(one: JudgedCommand, workspace: CallWorkspace): readonly FileChange[] {
  const own = findFileChanges(one, workspace);
  return one.inner.length === 0
    ? own
    : [...own, ...one.inner.flatMap((inner) => changesWithin(inner, workspace))];
}

/** A command that enters a directory after it was changed goes by its name, and is where the text says. */
function markEntered(change: FileChange, entered: ReadonlySet<string>): FileChange {
  const { path } = change;
  if (path === undefined) return change;
  return [...entered].some((directory) => isWithin(directory, path)) ? underfoot(change) : change;
}

function underfoot(change: FileChange): FileChange {
  return change.path === undefined ? change : { ...change, isUnderfoot: true };
}

function directoriesWithin({ command, inner }: JudgedCommand): string[] {
  return [...command.directories, ...inner.flatMap(directoriesWithin)];
}

/** Up to which command others may run before or beside each one. */
function findReaches(
  overlaps: readonly Overlap[],
  count: number,
): readonly { until: number; isAgain: boolean }[] {
  const reaches = Array.from({ length: count }, () => ({ until: 0, isAgain: false }));
  for (const { from, to, until, how } of overlaps)
    for (const one of reaches.slice(from, to)) {
      one.until = Math.max(one.until, until);
      one.isAgain ||= how !== 'beside';
    }
  return reaches;
}

function bounded(lists: readonly (readonly FileChange[])[]): (readonly FileChange[])[] {
  const distinct = union([], lists.flat());
  if (distinct.length <= maxChanges) return [...lists];
  return lists.map((list) =>
    list.length > 0
      ? [waiting, ...list.filter(({ makesLinks, sets }) => makesLinks || sets !== undefined)]
      : list,
  );
}

function union(first: readonly FileChange[], second: readonly FileChange[]): readonly FileChange[] {
  if (second.length === 0) return first;
  const all = new Map([...first, ...second].map((change) => [JSON.stringify(change), change]));
  return all.size === first.length ? first : [...all.values()];
}
