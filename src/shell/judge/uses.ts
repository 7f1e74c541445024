import { basename, resolve } from 'node:path';
import { joinTold, mapTold, type Told, untold } from '../../lib/told.ts';
import type { Look } from '../../places/look.ts';
import { foldName, settlePath } from '../../places/paths.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Rule } from '../../protocol/permission.ts';
import { goesUp, isWithin, joinPath, splitPath } from '../../workspace/paths.ts';
import { everything, type Pieces, type ShellWord, type Sweep, type Value } from '../grammar/types.ts';
import { readUpward, settleUpward } from '../grammar/upward.ts';
import type { PathUse } from '../programs/effect.ts';
import { openCover } from '../rules/rule-cover.ts';
import { fillMade } from '../walk/made-names.ts';
import { directoriesBelow, fitsAny, mayFindDirectory } from './met-below.ts';

/** A path that a command touches, absolute; or why it is unknown. */
export interface ResolvedUse {
  readonly kind: PathUse['kind'];
  readonly path: string;
  /** The form of a name below the path, where it comes from a pattern. */
  readonly pattern?: string;
  /** The names below the path that are found; `none` is the path alone. */
  readonly sweep?: Sweep | 'none';
  readonly pieces?: Pieces;
  /** With everything in it. */
  readonly whole?: true;
  readonly isPart?: true;
  readonly ofGit?: true;
  /** Git itself goes through it, and shows none of its objects by that. */
  readonly byGit?: true;
  /** Another command opens what is found there. */
  readonly isOpened?: true;
  /** How the command continues from each name that a search found, if it does. */
  readonly onward?: Sweep;
}

/** Every place that a use may mean, with links resolved; untold where the text does not say which. */
export function resolveUses(
  use: PathUse,
  directories: readonly string[],
  workspace: CallWorkspace,
): Told<readonly ResolvedUse[]> {
  const made = fillMade(use, directories, workspace);
  const named = resolveUse(use, directories);
  if (named === untold || made === untold) return untold;
  const filled =
    made.length === 0 ? [] : resolveUse({ ...use, word: { ...use.word, values: made } }, directories);
  if (filled === untold) return untold;
  const places = [...named, ...filled];
  const upward = joinTold(...places.map((one) => settleUpward(one, workspace)));
  if (upward === untold) return untold;
  const settled = upward.some(({ path }) => goesUp(path))
    ? upward.flatMap((one) => settlePath(one.path, workspace).map((path) => ({ ...one, path })))
    : upward;
  const opened = use.opensDirectories
    ? settled.map((one) => (isSearched(one, workspace) ? { ...one, kind: 'search' as const } : one))
    : settled;
  return opened.map((one) => goOnward(one, workspace.look));
}

/** From a directory that a search found by its name, a searching command takes everything below. */
function goOnward({ onward, ...place }: ResolvedUse, look: Look | undefined): ResolvedUse {
  const { sweep } = place;
  if (!onward || !sweep || sweep === 'none') return place;
  const isWide = !sweep.tracked && (!look || mayFindDirectory(look, place.path, sweep));
  const { only: _, except: __, ...all } = sweep;
  const wide = isWide ? { ...all, ...everything } : sweep;
  return { ...place, sweep: onward.follows ? { ...wide, follows: true } : wide };
}

/** For a directory the files in it are read; a pattern may become one. */
function isSearched({ kind, path, pattern }: ResolvedUse, { look }: CallWorkspace): boolean {
  if (kind !== 'read') return false;
  const found = (names: string) => {
    const inside = look?.expand(path, names);
    return inside === undefined || inside === untold || inside.length > 0;
  };
  return pattern !== undefined || found('*') || found('.*');
}

/** Every place that a use may mean by its text, from every directory that the command may run in. */
export function resolveUse(use: PathUse, directories: readonly string[]): Told<readonly ResolvedUse[]> {
  const before = resolved.get(use);
  if (before?.directories === directories) return before.places;
  const places = resolvePlaces(use, directories);
  resolved.set(use, { directories, places });
  return places;
}

/** A use is checked by the role, for credentials and by the rules. */
const resolved = new WeakMap<
  PathUse,
  { directories: readonly string[]; places: Told<readonly ResolvedUse[]> }
>();

function resolvePlaces(use: PathUse, directories: readonly string[]): Told<readonly ResolvedUse[]> {
  const { values } = use.word;
  if (!values) return untold;
  const isRelative = values.some((value) => !value.text.startsWith('/'));
  if (isRelative && directories.length === 0) return untold;
  const starts = isRelative ? directories : ['/'];
  const read = joinTold(...values.map((value) => readUpward(value, use)));
  return mapTold(read, (all) =>
    starts.flatMap((start) => all.flatMap((value) => resolveValue(use, value, start))),
  );
}

function resolveValue(use: PathUse, value: Value, start: string): ResolvedUse[] {
  const changesIt = (use.kind === 'write' && !use.pours) || use.kind === 'remove';
  if (isStream(value.text) && !changesIt) return [];
  const sweep = value.sweep ?? use.sweep;
  const more = {
    ...(sweep === undefined ? {} : { sweep }),
    ...(value.pieces ? { pieces: value.pieces } : {}),
    ...(use.whole ? { whole: use.whole } : {}),
    ...(use.isPart ? { isPart: use.isPart } : {}),
    ...(use.ofGit ? { ofGit: use.ofGit } : {}),
    ...(value.sweep && use.sweep && use.sweep !== 'none' && use.kind !== 'list' ? { onward: use.sweep } : {}),
  };
  if (!value.isPattern) return [{ kind: use.kind, path: place(start, value.text), ...more }];
  const parts = value.glob.split('/');
  const wild = parts.findIndex((part) => /(?:^|[^\\])[*?[]/.test(part));
  const fixed = parts.slice(0, wild).join('/').replace(/\\(.)/g, '$1');
  const root = value.glob.startsWith('/') ? `/${fixed}` : fixed;
  const pattern = parts.slice(wild).join('/');
  const found = { kind: use.kind, path: place(start, root), pattern, ...more };
  // After a star `..` could lead anywhere: a link may be among the names.
  return goesUp(`/${pattern}`) ? [found, { ...found, path: '/' }] : [found];
}

/** A path that goes up keeps `..` until links can be followed. */
function place(start: string, text: string): string {
  const path = joinPath(start, text);
  return goesUp(path) ? path : resolve(path);
}

function isStream(text: string): boolean {
  return /^\/dev\/(?:null|stdin|stdout|stderr|fd\/[0-9])$/.test(text);
}

/** Why it is unknown which file a use means. */
export function describeUnclear({ kind, word }: PathUse): string {
  return word.mayMatch && kind === 'list'
    ? describeMatch(word)
    : `it is unclear which file ${word.text} refers to`;
}

export function describeSocket({ word }: PathUse): string {
  return `${word.text} is a connection to the network`;
}

/** Quotes solve it: the agent that reads this can add them. */
export function describeMatch({ text }: ShellWord): string {
  return `${text} outside double quotes may become the names of any files`;
}

/** Whether a refusing rule could cover an unknown file. */
export function isAbout({ tool, specifier }: Rule, { kind }: Pick<PathUse, 'kind'>): boolean {
  if (specifier === undefined || kind === 'list' || kind === 'enter') return false;
  return tool === (kind === 'write' || kind === 'remove' ? 'Edit' : 'Read');
}

/** A rule that refuses reading may cover a file that a pattern or a search below a directory would find. */
export function mayMeet(rule: Rule, use: ResolvedUse, workspace: CallWorkspace): boolean {
  if (rule.tool !== 'Read' || rule.behaviour === 'allow' || rule.specifier === undefined) return false;
  const { kind, path, pattern, sweep } = use;
  if (kind === 'list' || kind === 'enter') return false;
  if (kind !== 'search' && pattern === undefined) return false;
  const last = foldName(rule.specifier.replace(/\/+$/, '').split('/').at(-1) ?? '');
  if (pattern === undefined || /[*?[]/.test(last)) return true;
  // A shell pattern is judged name by name; the content below those names is not.
  if (!pattern.includes('**')) return kind === 'search' || mayBecome(pattern, last);
  const only = pattern === '**' && sweep !== 'none' ? sweep?.only : undefined;
  if (only ? fitsAny(only, last) : mayBecome(pattern, last)) return true;
  return isAboutDirectory(rule, path, workspace);
}

/** The shell's star does not match a dot at the beginning. */
function mayBecome(pattern: string, last: string): boolean {
  const name = foldName(basename(pattern));
  return (!last.startsWith('.') || name.startsWith('.') || name === '**') && fitsAny([name], last);
}

/** Whether a rule names a directory below this one: then it applies to everything found there. */
function isAboutDirectory(rule: Rule, path: string, workspace: CallWorkspace): boolean {
  const directories: Told<readonly string[]> = workspace.look
    ? directoriesBelow(workspace.look, path)
    : untold;
  if (directories === untold) return true;
  const isAbout = openCover(rule, 'read', workspace);
  const real = workspace.realPath(path);
  return directories.some((one) => isAbout(one, `${real}${one.slice(path.length)}`));
}

/** A search for certain names only. */
function hasCertainNames({ sweep }: ResolvedUse): boolean {
  const only = sweep && sweep !== 'none' ? sweep.only : undefined;
  return only !== undefined && only.length > 0 && only.every((pattern) => /[^*?]/.test(pattern));
}

/** Removing these removes more than a file: the root, its direct entries, home, and everything above the workspace. */
export function isCritical(use: ResolvedUse, workspace: CallWorkspace): boolean {
  if (use.kind !== 'remove') return false;
  // `rm dir/*` removes all of a directory; `rm dir/*.log` does not.
  const isPart =
    use.isPart ?? (hasCertainNames(use) || (use.pattern !== undefined && /[^*]/.test(use.pattern)));
  const kept = [workspace.cwd, workspace.userHome, workspace.home, ...workspace.directories];
  return [use.path, workspace.realPath(use.path)].some((path) => {
    if (splitPath(path).length <= (isPart ? 0 : 1)) return true;
    return kept.some((one) => isWithin(one, path) && !(isPart && one === path));
  });
}
