import { dirname } from 'node:path';
import { untold } from '../lib/told.ts';
import type { Rule } from '../protocol/permission.ts';
import { goesUp, isWithin, relativeParts } from '../workspace/paths.ts';
import { listOriginals } from '../workspace/worktrees/twins.ts';
import { isTold, type ResolvedPath } from './paths.ts';
import { matchesPattern } from './pattern.ts';
import type { CallWorkspace } from './types.ts';

/**
 * Whether a rule's path pattern covers a path. A grant must hold for the path as given and for where symlinks
 * lead; a refusal or question holds for either, for every other name of the same file in the workspace, and for its copy in
 * one of our worktrees.
 */
export function matchesPathRule(
  rule: Rule,
  path: ResolvedPath,
  kind: 'read' | 'write',
  workspace: CallWorkspace,
): boolean {
  const grants = rule.behaviour === 'allow';
  const options = { fold: !grants, includeSelf: !grants || kind === 'read' };
  const excepted = listExcepted(rule, workspace);
  const covers = (one: string) =>
    !excepted.some((place) => isWithin(one, place)) &&
    listRulePlaces(rule, one, workspace).some(({ root, pattern }) => {
      const parts = relativeParts(one, root);
      return parts !== undefined && matchesPattern(pattern, parts, options);
    });
  if (grants) return isTold(path) && covers(path.given) && covers(path.real);
  if (listTwinNames(path, workspace).some(covers)) return true;
  const names = workspace.look?.otherNames(path.real);
  if (names === undefined) return false;
  if (names !== untold && names.some(covers)) return true;
  const outside = workspace.look?.otherNameAt(path.real, listPlacesOutside(rule, workspace));
  return outside !== undefined && covers(outside);
}

/** Where a refusal does not apply, as written and with links resolved. */
function listExcepted({ except = [] }: Rule, { realPath }: CallWorkspace): string[] {
  return except.flatMap((place) => [place, realPath(place)]);
}

/** Where files outside the workspace are that a refusing rule names; the whole machine is not searched. */
function listPlacesOutside(rule: Rule, workspace: CallWorkspace): string[] {
  const { cwd, directories, realPath } = workspace;
  const inside = [cwd, ...directories].map(realPath);
  const places = listRulePlaces(rule, cwd, workspace).map((place) => literalPlace(place, workspace).root);
  return [...new Set(places)].filter((place) => place !== '/' && !inside.some((one) => isWithin(place, one)));
}

/** A path with its names in the checkouts that one of our worktrees was made from: a refusal there holds for the copy. */
export function listTwinNames({ given, real }: ResolvedPath, { findStarts }: CallWorkspace): string[] {
  const names = real === given ? [given] : [given, real];
  return [...names, ...names.flatMap((one) => listOriginals(one, findStarts))];
}

/**
 * Whether a path means a file that is not known, or one with other names that are not: a rule that refuses may apply to it.
 */
export function hasUntoldNames(path: ResolvedPath, { look }: CallWorkspace): boolean {
  return !isTold(path) || look?.otherNames(path.real) === untold;
}

/** Whether a refusing rule covers paths that share none of its text, because its beginning contains a link. */
export function leadsElsewhere(rule: Rule, workspace: CallWorkspace): boolean {
  const text = rule.specifier ?? '';
  if (!/^(?:\.?\/|~)/.test(text) && !goesUp(text)) return linkedPlaces(rule, workspace).length > 0;
  const [given, , literal] = listRulePlaces(rule, workspace.cwd, workspace);
  if (workspace.isolated && (text.startsWith('./') || goesUp(text))) return true;
  return !given || !literal || !isWithin(`${given.root}/${given.pattern}`.replace(/\/+/g, '/'), literal.root);
}

/** Whether a refusing rule could be about something below a directory, judging by the beginning of its pattern. */
export function mayCoverBelow(rule: Rule, directory: string, workspace: CallWorkspace): boolean {
  const excepted = listExcepted(rule, workspace);
  const names = listTwinNames({ given: directory, real: workspace.realPath(directory) }, workspace).filter(
    (name) => !excepted.some((place) => isWithin(name, place)),
  );
  return names.some((name) =>
    listRulePlaces(rule, name, workspace).some(({ root, pattern }) => {
      const start = [root, ...listLiteral(pattern)].join('/').toLowerCase();
      return isWithin(start, name.toLowerCase()) || isWithin(name.toLowerCase(), start);
    }),
  );
}

interface Place {
  root: string;
  pattern: string;
}

/** `//absolute`, `~/home`, `/relative to the settings file`, `./` or plain from where the session started. */
function listRulePlaces(rule: Rule, path: string, workspace: CallWorkspace): Place[] {
  const text = rule.specifier ?? '';
  const fixed = (root: string, pattern: string) => fixedPlaces(rule, settleUpward(root, pattern), workspace);
  if (text.startsWith('//')) return fixed('/', text.slice(2));
  if (text === '~' || text.startsWith('~/')) return fixed(workspace.userHome, text.slice(2) || '**');
  if (text.startsWith('/')) return fixed(rule.base, text.slice(1));
  if (text.startsWith('./') || goesUp(text)) {
    const roots = rule.behaviour === 'allow' ? [workspace.cwd] : listStarts(workspace);
    return roots.flatMap((root) => fixed(root, text.replace(/^\.\//, '')));
  }
  if (rule.behaviour !== 'allow')
    return [...placesAnywhere(path, `**/${text}`, workspace), ...linkedPlaces(rule, workspace)];
  const hasSlash = text.replace(/\/+$/, '').includes('/');
  return fixed(workspace.cwd, hasSlash ? text : `**/${text}`);
}

/** For an agent with its own worktree, rules are also read from where the session was started. */
function listStarts({ cwd, isolated }: CallWorkspace): string[] {
  return isolated === undefined ? [cwd] : [cwd, isolated.start];
}

/** Resolves `..` in the text; beyond the root, the root moves up. */
function settleUpward(root: string, pattern: string): Place {
  if (!goesUp(pattern)) return { root, pattern };
  const kept: string[] = [];
  let top = root;
  for (const piece of pattern.split('/')) {
    if (piece === '' || piece === '.') continue;
    if (piece !== '..') kept.push(piece);
    else if (kept.pop() === undefined) top = dirname(top);
  }
  return { root: top, pattern: kept.join('/') || '**' };
}

/** The root may be behind a symlink; for a refusal so may the literal beginning of the pattern. */
function fixedPlaces(rule: Rule, place: Place, workspace: CallWorkspace): Place[] {
  const places = [place, { ...place, root: workspace.realPath(place.root) }];
  return rule.behaviour === 'allow' ? places : [...places, literalPlace(place, workspace)];
}

/** The place with its literal beginning resolved. */
function literalPlace({ root, pattern }: Place, workspace: CallWorkspace): Place {
  const literal = listLiteral(pattern);
  return {
    root: workspace.realPath([root, ...literal].join('/')),
    pattern: pattern.split('/').slice(literal.length).join('/'),
  };
}

function listLiteral(pattern: string): string[] {
  const pieces = pattern.split('/');
  const wild = pieces.findIndex((piece) => /[*?[\]\\]/.test(piece));
  return wild < 0 ? pieces : pieces.slice(0, wild);
}

/** A refusal of any path of that name: where it begins with a link in a directory of the workspace, what that leads to. */
function linkedPlaces({ specifier = '' }: Rule, workspace: CallWorkspace): Place[] {
  const pattern = specifier.replace(/\/+$/, '');
  const literal = listLiteral(pattern);
  if (literal.length === 0) return [];
  return [workspace.cwd, ...workspace.directories].flatMap((directory) => {
    const place = literalPlace({ root: directory, pattern }, workspace);
    const isPlain = place.root === [workspace.realPath(directory), ...literal].join('/');
    return isPlain ? [] : [place];
  });
}

/** Relative to each directory that holds the path: in a workspace below some `src` not everything is `src/**`. */
function placesAnywhere(path: string, pattern: string, workspace: CallWorkspace): Place[] {
  const directories = [workspace.cwd, ...workspace.directories];
  const roots = [...directories, ...directories.map((directory) => workspace.realPath(directory))];
  const holding = roots.filter((root) => isWithin(path, root));
  return (holding.length > 0 ? holding : ['/']).map((root) => ({ root, pattern }));
}
