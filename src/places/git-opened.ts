import { statEntry, statTarget } from '../lib/files/entry-at.ts';
import { basename, dirname, join } from '../lib/files/exact-paths.ts';
import { listKnown, type Told, untold } from '../lib/told.ts';
import { type FoundSetting, includedFile, isUnread, resolveGitPath } from '../workspace/git/config-files.ts';
import { isHarmlessSetting } from '../workspace/git/own.data.ts';
import { isWithin } from '../workspace/paths.ts';
import { followWay, resolveRealPath } from '../workspace/real-path.ts';
import { findRepository } from './git-runs.ts';
import { GitScopes, type GitSurroundings } from './git-scopes.ts';

/** A git command, reduced to what decides which files it opens by itself. */
export interface GitOpening {
  readonly subcommand: string;
  /** The paths that it names, absolute; undefined where some are not in the text. */
  readonly paths: readonly string[] | undefined;
}

interface Around extends GitSurroundings {
  /** The directories of the workspace. */
  readonly roots: readonly string[];
  /** The files that the repository around a directory tracks. */
  tracked(directory: string): Told<readonly string[]>;
}

/**
 * Finds the files that git opens by itself and prints lines of, in answers and in errors: those that settings of any scope
 * name, and those with a fixed name. Only files that could be others than they seem, or that the command prints on purpose:
 * a regular file of a fixed name is what git would show anyway. Files that the user's settings place outside of the workspace
 * are the user's own, as these settings are. What is in git's own data is judged in `stays.ts`. Untold where settings cannot
 * be read.
 */
export function openGitFiles(
  around: Around,
): (directory: string, command: GitOpening) => Told<readonly string[]> {
  const scopes = new GitScopes(around);
  return (directory, command) => {
    const place = resolveRealPath(directory);
    const top = findTop(place);
    const gitDirectories = top === undefined ? [] : (findRepository(top)?.gitDirectories ?? []);
    const own = scopes.readOwn(gitDirectories);
    const users = scopes.readUsers();
    if ([...own, ...users].some(isUnread) || own.some((setting) => isOdd(setting, command))) return untold;
    const places = { ...around, top, bases: [...new Set([top ?? place, place])], gitDirectories };
    return [
      ...new Set([
        ...own.flatMap((setting) => listOwn(setting, command, places)),
        ...users.flatMap((setting) => listUsers(setting, command, places)),
        ...listDefaults(around).filter((path) => passesWorkspace(path, places)),
        ...(top === undefined ? [] : listFixed(top, place, command, around)),
      ]),
    ];
  };
}

interface Places extends Around {
  readonly top: string | undefined;
  /** Where a relative name begins: git goes to the top of the work tree once it has found it. */
  readonly bases: readonly string[];
  readonly gitDirectories: readonly string[];
}

function findTop(place: string): string | undefined {
  for (let at = place; ; at = dirname(at)) {
    if (statEntry(join(at, '.git'))) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** Most of a repository's settings are emptied for a command that reads. Some name files that git opens whatever is set later. */
function listOwn(setting: FoundSetting, command: GitOpening, places: Places): string[] {
  const included = includedFile(setting, places.userHome);
  if (included !== undefined)
    return places.gitDirectories.some((own) => isWithin(resolveRealPath(included), resolveRealPath(own)))
      ? []
      : [included];
  return adding.has(setting.name) && mayOpen(setting, command) ? listPaths(setting, places) : [];
}

/** A name that begins where git was installed, or in the home of a named user. */
function isOdd(setting: FoundSetting, command: GitOpening): boolean {
  return adding.has(setting.name) && mayOpen(setting, command) && /^(?:%\(|~[^/])/.test(plainValue(setting));
}

/** They add to those that were set before. */
const adding: ReadonlySet<string> = new Set(['ignorerevsfile', 'skiplist']);

function listUsers(setting: FoundSetting, command: GitOpening, places: Places): string[] {
  const isSurelyFile = fileNames.test(setting.name);
  const included = includedFile(setting, places.userHome);
  if (!isSurelyFile && included === undefined && isHarmlessSetting(joinKey(setting))) return [];
  if (!mayOpen(setting, command)) return [];
  const paths = included === undefined ? listPaths(setting, places) : [included];
  const isAbsolute = included !== undefined || /^[/~]/.test(plainValue(setting));
  return isAbsolute
    ? paths.filter((path) => passesWorkspace(path, places))
    : paths.filter((path) => isSurelyFile || isFileOrLink(path));
}

/** What git takes where no setting names another. They matter where the home is in the workspace, or is it. */
function listDefaults({ userHome, environment }: GitSurroundings): string[] {
  const settings = environment.XDG_CONFIG_HOME || join(userHome, '.config');
  return ['ignore', 'attributes'].map((name) => join(settings, 'git', name)).filter(isFileOrLink);
}

/** Settings with these names hold a file; values of others count where there is a file of that name. */
const fileNames = /file$|^skiplist$|^template$/;

/** These are known to be opened by few commands. All others may be opened by any. */
function mayOpen({ name }: FoundSetting, { subcommand }: GitOpening): boolean {
  const only = openedBy.get(name);
  return only === undefined || only.includes(subcommand);
}

const openedBy: ReadonlyMap<string, readonly string[]> = new Map([
  ['ignorerevsfile', ['blame', 'annotate']],
  [
    'skiplist',
    ['fsck', 'fetch', 'pull', 'clone', 'fetch-pack', 'receive-pack', 'index-pack', 'unpack-objects'],
  ],
  ['template', ['commit']],
]);

function listPaths(setting: FoundSetting, { bases, userHome }: Places): string[] {
  const value = plainValue(setting);
  // The second is where git itself was installed.
  if (value === '' || value.startsWith('%(')) return [];
  return bases.map((base) => resolveGitPath(value, base, userHome));
}

function plainValue({ value }: FoundSetting): string {
  return value.replace(/^:\(optional\)/, '');
}

/** Whether it is in the workspace or the work tree, or may go through them, where others may have put a link. */
function passesWorkspace(path: string, { roots, top }: Places): boolean {
  const places = [...roots, ...(top === undefined ? [] : [top])].map(resolveRealPath);
  const { end, names } = followWay(path);
  return end === undefined || names.some((name) => places.some((place) => isWithin(name, place)));
}

function isFileOrLink(path: string): boolean {
  return statEntry(path) !== undefined && statTarget(path)?.isDirectory() !== true;
}

/**
 * In the directories on the way to the command's own and to each path it names, and wherever git tracks one. Attributes are
 * read beside every tracked file that is looked at, whether git tracks them or not.
 */
function listFixed(
  top: string,
  place: string,
  { subcommand, paths }: GitOpening,
  { tracked }: Around,
): string[] {
  const ways = [place, ...(paths ?? [])]
    .filter((path) => isWithin(path, top))
    .flatMap((path) => listWay(top, path));
  const near = [
    ...fixedAtTop.map((name) => join(top, name)),
    ...ways.flatMap((directory) => fixedBelow.map((name) => join(directory, name))),
  ];
  const all = listKnown(tracked(place));
  const kept = all.filter((path) => fixedBelow.includes(basename(path)));
  const beside = [...new Set(all.map((path) => dirname(path)))].map((path) => join(path, '.gitattributes'));
  const isPrinting = subcommand === 'check-attr' || subcommand === 'check-ignore';
  return [
    ...near.filter((path) => (isPrinting ? statEntry(path) !== undefined : mayBeAnother(path))),
    ...(isPrinting && !paths ? kept : kept.filter(mayBeAnother)),
    ...beside.filter(mayBeAnother),
  ];
}

const fixedAtTop = ['.mailmap', '.gitmodules'];
const fixedBelow = ['.gitattributes', '.gitignore'];

/** From the top down to a path, which may itself be a directory. */
function listWay(top: string, path: string): string[] {
  const way: string[] = [];
  for (let at = path; isWithin(at, top); at = dirname(at)) {
    way.push(at);
    if (at === dirname(at)) break;
  }
  return way;
}

/** A link, or one of several names of a file. */
function mayBeAnother(path: string): boolean {
  const entry = statEntry(path);
  return entry?.isSymbolicLink() === true || (entry?.isFile() === true && entry.nlink > 1);
}

function joinKey({ section, subsection, name }: FoundSetting): string {
  return subsection === '' ? `${section}.${name}` : `${section}.${subsection}.${name}`;
}
