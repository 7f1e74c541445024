import { dirname } from 'node:path';
import { untold } from '../lib/told.ts';
import type { Rule } from '../protocol/permission.ts';
import { goesUp, isWithin, relativeParts } from '../workspace/paths.ts';
import type { ResolvedPath } from './paths.ts';
import { matchesPattern } from './pattern.ts';
import type { CallWorkspace } from './types.ts';

/**
 * Whether a rule's path pattern covers a path. A grant must hold for the path as given and for where symlinks
 * lead; a refusal or question holds for either, and for every other name of the same file in the workspace.
 */
export function matchesPathRule(
  rule: Rule,
  path: ResolvedPath,
  kind: 'read' | 'write',
  workspace: CallWorkspace,
): boolean {
  const grants = rule.behaviour === 'allow';
  const options = { fold: !grants, includeSelf: !grants || kind === 'read' };
  const covers = (one: string) =>
    listRulePlaces(rule, one, workspace).some(({ root, pattern }) => {
      const parts = relativeParts(one, root);
      return parts !== undefined && matchesPattern(pattern, parts, options);
    });
  if (grants) return covers(path.given) && covers(path.real);
  if (covers(path.given) || covers(path.real)) return true;
  const names = workspace.look?.otherNames(path.real);
  return names !== undefined && names !== untold && names.some(covers);
}

/** Whether a file has other names that are unknown: a rule that refuses one of them may apply to it. */
export function hasUntoldNames(path: ResolvedPath, { look }: CallWorkspace): boolean {
  return look?.otherNames(path.real) === untold;
}

/** Whether a refusing rule covers paths that share none of its text, because its beginning contains a link. */
export function leadsElsewhere(rule: Rule, workspace: CallWorkspace): boolean {
  const text = rule.specifier ?? '';
  if (!/^(?:\.?\/|~)/.test(text) && !goesUp(text)) return false;
  const [given, , literal] = listRulePlaces(rule, workspace.cwd, workspace);
  return !given || !literal || !isWithin(`${given.root}/${given.pattern}`.replace(/\/+/g, '/'), literal.root);
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
  if (text.startsWith('./')) return fixed(workspace.cwd, text.slice(2));
  if (goesUp(text)) return fixed(workspace.cwd, text);
  if (rule.behaviour !== 'allow') return placesAnywhere(path, `**/${text}`, workspace);
  const hasSlash = text.replace(/\/+$/, '').includes('/');
  return fixed(workspace.cwd, hasSlash ? text : `**/${text}`);
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
  if (rule.behaviour === 'allow') return places;
  const pieces = place.pattern.split('/');
  const wild = pieces.findIndex((piece) => /[*?[\]\\]/.test(piece));
  const literal = wild < 0 ? pieces : pieces.slice(0, wild);
  const root = workspace.realPath(`${place.root}/${literal.join('/')}`);
  return [...places, { root, pattern: pieces.slice(literal.length).join('/') }];
}

/** Relative to each directory that holds the path: in a workspace below some `src` not everything is `src/**`. */
function placesAnywhere(path: string, pattern: string, workspace: CallWorkspace): Place[] {
  const directories = [workspace.cwd, ...workspace.directories];
  const roots = [...directories, ...directories.map((directory) => workspace.realPath(directory))];
  const holding = roots.filter((root) => isWithin(path, root));
  return (holding.length > 0 ? holding : ['/']).map((root) => ({ root, pattern }));
}
