import { untold } from '../../lib/told.ts';
import type { Look } from '../../places/look.ts';
import { isWholeTool } from '../../places/names.ts';
import { mayCoverBelow } from '../../places/path-rules.ts';
import type { ResolvedPath } from '../../places/paths.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Rule } from '../../protocol/permission.ts';
import type { ObjectStore } from '../../workspace/git/object-stores.ts';
import { covers } from './rules.ts';

/*
 * Files in which git keeps the content of others. Reading one is like `git show` of an id, which may be a file of any name;
 * reading all of them is like `git log -p`.
 */

/** The store that a path leads into; undefined for any other file. */
export function findStoreAt(path: ResolvedPath, look: Look | undefined): ObjectStore | undefined {
  const { given, real } = path;
  if (given === real) return look?.findStore(real);
  // A link may lead to a store as a whole.
  return look?.findStore(real) ?? look?.findStore(given) ?? look?.findStore(`${real}/objects`);
}

/** The rule that refuses or asks about a file which an object of a store may be. */
export function findRuleOfObject(
  path: ResolvedPath,
  rules: readonly Rule[],
  workspace: CallWorkspace,
): Rule | undefined {
  const refusing = rules.filter(refusesReading);
  const store = refusing.length > 0 ? findStoreAt(path, workspace.look) : undefined;
  return store && refusing.find((rule) => mayBeAboutStore(rule, store, workspace));
}

/**
 * The rule that refuses or asks about a file which a whole store keeps or kept, as far as its history says. `isAny`: also what
 * no history leads to.
 */
export function findRuleOfStore(
  store: ObjectStore,
  rules: readonly Rule[],
  workspace: CallWorkspace,
  isAny: boolean,
): Rule | undefined {
  const refusing = rules.filter((rule) => refusesReading(rule) && mayBeAboutStore(rule, store, workspace));
  if (refusing.length === 0) return undefined;
  const kept = isAny ? undefined : listKept(store, workspace.look);
  return kept ? refusing.find((rule) => kept.some((path) => covers(rule, path, workspace))) : refusing[0];
}

/** All files that a store keeps or kept under a name; undefined where these cannot be told. */
export function listKept({ root }: ObjectStore, look: Look | undefined): readonly string[] | undefined {
  if (root === undefined || !look) return undefined;
  const now = look.tracked(root);
  const past = look.past(root);
  return now === untold || !past ? undefined : [...new Set([...now, ...past.paths])];
}

function refusesReading(rule: Rule): boolean {
  return rule.tool === 'Read' && rule.behaviour !== 'allow' && !isWholeTool(rule);
}

function mayBeAboutStore(rule: Rule, { root }: ObjectStore, workspace: CallWorkspace): boolean {
  return root === undefined || mayCoverBelow(rule, root, workspace);
}
