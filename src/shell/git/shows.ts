import { resolve } from 'node:path';
import { type Told, untold } from '../../lib/told.ts';
import type { Look } from '../../places/look.ts';
import { mayMatchName } from '../../places/name-pattern.ts';
import { foldName } from '../../places/paths.ts';
import type { ComparerKind } from '../../workspace/git/settings.ts';
import { isWithin } from '../../workspace/paths.ts';
import type { ShellWord, Value } from '../grammar/types.ts';
import type { GitLook, PathUse } from '../programs/effect.ts';
import type { ReadArguments } from '../programs/flags.ts';
import { readsHistory } from './history.ts';

/** The tracked files that a git subcommand shows, and those it names. */
export function describeGitLook(name: string, read: ReadArguments, move: ShellWord | undefined): GitLook {
  const { operands, flags, values } = read;
  const separator = findSeparator(name, read);
  const isPatch = [...flags].some((flag) => patchFlags.test(flag));
  const isSummary = !isPatch && [...flags].some((flag) => summaryFlags.test(flag));
  // The ranges of -L name a file after their last colon, where the file is not an operand.
  const isRanged = name !== 'blame' && name !== 'annotate';
  const ranges = values.flatMap(([flag, value]) => (flag === '-L' && isRanged ? [rangeWord(value)] : []));
  const first = name === 'grep' && !flags.has('-e') ? 1 : 0;
  // Piped input names objects that are not visible here.
  const piped: ShellWord[] = [...flags].some((flag) => flag.startsWith('--batch'))
    ? [{ text: '--batch', single: true }]
    : [];
  const words = [...operands.slice(first), ...ranges, ...piped];
  const isUntracked = [...flags].some((flag) =>
    /^(?:-o|-i|-k|--others|--ignored|--killed|--untracked)$/.test(flag),
  );
  // A file that is followed through its renames had other names before; with the other option the paths only choose commits.
  const isFollowed = flags.has('--follow') || flags.has('--full-diff');
  const within = findPaths(name, operands, isFollowed ? undefined : separator);
  const shows = classifyShown(name, isPatch, isSummary, flags, operands);
  const compares = shows === 'contents' ? findComparers(name, read) : [];
  return {
    shows,
    words,
    ...(compares.length > 0 ? { compares } : {}),
    ...(within && within.length > 0 ? { within } : {}),
    ...(name === 'grep' && !flags.has('--cached') ? { opensFiles: true as const } : {}),
    ...(expandsIndex(name, operands.slice(0, separator)) ? { expandsIndex: true as const } : {}),
    ...(entersSubmodules(name, flags) ? { entersSubmodules: true as const } : {}),
    ...(name === 'grep' ? { isLocal: true as const } : {}),
    ...(name === 'diff' && operands.length > 0 ? { comparesFiles: true as const } : {}),
    ...(/^diff(?:-index)?$/.test(name) ? { comparesTrees: true as const } : {}),
    ...(readsHistory(name, { ...read, separator }) ? { history: true as const } : {}),
    ...(name === 'show' ? { opensObjects: true as const } : {}),
    ...(limitedByObjects.has(name) && !namesReferences(flags) ? {} : { showsCommits: true as const }),
    ...(name === 'cat-file' && flags.has('-p') ? { printsObjects: true as const } : {}),
    ...(mayShowNotes(name, read) ? { showsNotes: true as const } : {}),
    ...(isUntracked ? { untracked: true as const } : {}),
    ...(move ? { move } : {}),
  };
}

/** Others read the index not at all, or as it is; seen with real git. `:a` is an object of the index. */
function expandsIndex(name: string, operands: readonly ShellWord[]): boolean {
  const mayBeEntry = ({ values }: ShellWord) => values?.every(({ text }) => !text.startsWith(':')) !== true;
  return !readsFolded.has(name) || operands.some(mayBeEntry);
}

const readsFolded: ReadonlySet<string> = new Set(
  (
    'log show diff status blame annotate grep rev-parse rev-list ls-tree for-each-ref show-ref branch tag remote config ' +
    'reflog merge-base name-rev describe cherry count-objects shortlog symbolic-ref show-branch var check-ref-format ' +
    'cat-file stash worktree notes archive clean range-diff'
  ).split(' '),
);

/** Unlike `git diff` and `git status` these do not heed `diff.ignoreSubmodules`. */
function entersSubmodules(name: string, flags: ReadonlySet<string>): boolean {
  const looksAtFiles = name === 'diff-files' || (name === 'diff-index' && !flags.has('--cached'));
  return looksAtFiles && !flags.has('--ignore-submodules');
}

/** Without `-e` the first word is the pattern of `git grep`, also after `--`, and what follows it may be anything. */
export function findSeparator(name: string, { flags, separator }: ReadArguments): number | undefined {
  return name === 'grep' && !flags.has('-e') && separator === 0 ? undefined : separator;
}

/**
 * The kinds of programs that a subcommand uses to compare files, where the repository names some. Switched off, they do not
 * make git compare files itself: it copies them to a temporary file and fails.
 */
export function findComparers(name: string, { flags, operands }: ReadArguments): ComparerKind[] {
  const isFile = operands.length > 0 && operands.every(mayBeBlob) && !namesReferences(flags);
  const isConverting = converting.has(name) && !(name === 'show' && isFile);
  return [
    ...(name === 'diff' && !flags.has('--no-ext-diff') ? (['external'] as const) : []),
    ...(isConverting && !flags.has('--no-textconv') ? (['textconv'] as const) : []),
  ];
}

const converting: ReadonlySet<string> = new Set(
  'diff log show blame annotate reflog stash range-diff'.split(' '),
);

/**
 * The operands that can only be paths, and limit the output. For `blame` every operand is included: it shows the lines of a
 * single file, however many commits are named. Other subcommands take words behind `--` as objects (`stash show`,
 * `cat-file`), show more than these paths (`status -v`), or did so in older versions (`range-diff`).
 */
function findPaths(
  name: string,
  operands: readonly ShellWord[],
  separator: number | undefined,
): readonly ShellWord[] | undefined {
  if (name === 'blame' || name === 'annotate') return operands;
  if (separator === undefined) return undefined;
  // The first operand is the tree, also behind the sign.
  if (name === 'ls-tree') return operands[0]?.single ? operands.slice(Math.max(separator, 1)) : undefined;
  return limitedByPaths.has(name) ? operands.slice(separator) : undefined;
}

const limitedByPaths: ReadonlySet<string> = new Set(
  'log show diff diff-tree diff-index diff-files rev-list grep ls-files'.split(' '),
);

/** Some show notes by default, and others with a format. */
function mayShowNotes(name: string, { flags, values }: ReadArguments): boolean {
  const isShowing = name === 'log' || name === 'show' || name === 'notes';
  if (flags.has('--notes')) return isShowing || byFormat.has(name);
  const formats = values.filter(([flag]) => flag === '--format' || flag === '--pretty');
  const isPlain = ([, value]: (typeof formats)[number]) =>
    value !== untold && value.includes('%') && !/%[-+ ]?N/.test(value);
  if (formats.length > 0) return !formats.every(isPlain) && (isShowing || byFormat.has(name));
  return isShowing && !flags.has('--no-notes') && !flags.has('--oneline');
}

const byFormat: ReadonlySet<string> = new Set(
  'reflog stash rev-list diff-tree range-diff shortlog'.split(' '),
);

const patchFlags =
  /^(?:-p|-u|-U.*|-W|-c|-L|--patch|--patch-with-raw|--patch-with-stat|--unified|--cc|--binary|--word-diff.*|--color-words|--function-context|--check)$/;
/** Not `-q`: between commits it shows nothing, for the files of the checkout everything. */
const summaryFlags =
  /^(?:-s|--no-patch|--stat|--numstat|--shortstat|--dirstat|--compact-summary|--summary|--name-only|--name-status|--raw|--quiet)$/;

/** They search file content. */
const searchingFlags: readonly string[] = ['-S', '-G'];

function classifyShown(
  name: string,
  isPatch: boolean,
  isSummary: boolean,
  flags: ReadonlySet<string>,
  operands: readonly ShellWord[],
): GitLook['shows'] {
  // The results reveal what they search for.
  if (searchingFlags.some((flag) => flags.has(flag))) return 'contents';
  switch (name) {
    case 'show':
      return isSummary && !operands.some(mayBeBlob) && !namesReferences(flags) ? 'nothing' : 'contents';
    case 'diff':
      return isSummary ? 'nothing' : 'contents';
    case 'log':
    case 'rev-list':
      if (name === 'rev-list' && flags.has('--objects') && !isPatch) return 'names';
      return isPatch ? 'contents' : 'nothing';
    case 'reflog':
    case 'diff-tree':
    case 'diff-files':
    case 'diff-index':
      return isPatch ? 'contents' : 'nothing';
    case 'stash':
      // With an option for showing a stash, but not a form, it shows the changes.
      return isPatch || (flags.size > 0 && !isSummary) ? 'contents' : 'nothing';
    case 'blame':
    case 'annotate':
    case 'grep':
    case 'range-diff':
      return 'contents';
    case 'cat-file':
      return flags.has('-t') || flags.has('-s') || flags.has('-e') ? 'nothing' : 'contents';
    case 'status':
      return flags.has('-v') || flags.has('--verbose') ? 'contents' : 'nothing';
    case 'rev-parse':
      // For files it prints what it was given, and ids.
      return operands.some(mayBeBlob) ? 'names' : 'nothing';
    case 'ls-files':
    case 'ls-tree':
      return 'names';
    default:
      return 'nothing';
  }
}

/** If each word is a file or a directory of a revision, these show nothing else. */
const limitedByObjects: ReadonlySet<string> = new Set(
  'show cat-file grep diff diff-tree diff-index'.split(' '),
);

/** These include all references, whatever they lead to. */
function namesReferences(flags: ReadonlySet<string>): boolean {
  return [...flags].some((flag) =>
    /^--(?:all|branches|tags|remotes|glob|reflog|walk-reflogs)$|^-g$/.test(flag),
  );
}

function mayBeBlob(word: ShellWord): boolean {
  return word.values === undefined || word.values.some(({ text }) => text.includes(':'));
}

function rangeWord(value: Told<string>): ShellWord {
  if (value === untold) return { text: '-L', single: true };
  const path = value.slice(value.lastIndexOf(':') + 1);
  return { text: path, values: [pathspec(path)], single: true };
}

/** The paths among the words of a git command, as files that it reads: a revision is not the name of a file. */
export function gitUses(git: GitLook): PathUse[] {
  const { shows, words, move } = git;
  const unclear = findUnclear(git).map((word): PathUse => ({ kind: 'read', word, ofGit: true }));
  if (shows !== 'contents') return unclear;
  const bases = move?.values?.map(({ text }) => text) ?? [''];
  const named = words.flatMap((word): PathUse[] => {
    if (!word.values) return [];
    const values = word.values
      .map(({ text }) => pathspec(stripRevision(text)))
      .filter(({ text }) => text !== '');
    const placed = bases.flatMap((base) =>
      base === '' ? values : values.map((value) => under(base, value)),
    );
    return placed.length > 0
      ? [{ kind: 'read', word: { text: word.text, values: placed, single: true }, ofGit: true }]
      : [];
  });
  return [...unclear, ...named];
}

/**
 * Computed words that may be untracked files: of two paths of which one is outside the repository `git diff` compares the
 * files themselves, also after `--`. Names that were broken on their way may be such paths for any command.
 */
function findUnclear({ words, comparesFiles }: GitLook): readonly ShellWord[] {
  const computed = words.filter((word) => !word.values && !word.revisions && !word.isPlain);
  const mayBeTwo = words.length > 1 || words.some(({ single }) => !single);
  return comparesFiles && mayBeTwo ? computed : computed.filter(({ isBroken }) => isBroken);
}

/** After `HEAD:`, `:0:` and the signs of a pathspec comes a path. */
export function stripRevision(text: string): string {
  const magic = /^:(?:\([^)]*\)|[!^/]+:?|\d:)?/.exec(text)?.[0];
  if (magic !== undefined) return text.slice(magic.length);
  const colon = text.indexOf(':');
  return colon < 0 ? text : text.slice(colon + 1);
}

/**
 * The command as it is where it runs: an object that is not a file (`git diff HEAD:src`) is a tree, which git compares with
 * everything there is, whatever the names in it are.
 */
export function widenLook(git: GitLook, place: string, look: Look): GitLook {
  const names = git.words.flatMap(({ values = [] }) => values.map(({ text }) => text));
  const objects =
    git.comparesTrees && !git.within ? names.filter((text) => blobPath(text) !== undefined) : [];
  // Two objects are compared with each other.
  if (objects.length === 0 || (objects.length === 2 && names.length === 2)) return git;
  const kinds = look.objectKinds(place, objects);
  return kinds?.every((kind) => kind === 'blob') ? git : { ...git, words: [] };
}

/**
 * Whether a command shows only a part of the repository, and this file is in that part. Without paths after `--`, and unless
 * every word is a revision with a path, it shows everything that changed.
 */
export function mayShow(git: GitLook, path: string, place: string): boolean {
  const { within, words, isLocal, showsCommits } = git;
  if (isLocal && words.length === 0) return isWithin(path, place);
  const named = (within ?? words).flatMap((word) => word.values?.map(({ text }) => text) ?? [undefined]);
  if (!within && showsCommits) return true;
  const specs = within ? named : named.map((text) => text && blobPath(text));
  return specs.length === 0 || specs.some((spec) => spec === undefined || covers(spec, path, place));
}

/**
 * `:/text` and `HEAD^{/text}` are commits, `:!path` is everything else, and `HEAD:a..b` and `HEAD:a/..` are ranges: only the
 * plainest forms name a path.
 */
function blobPath(text: string): string | undefined {
  if (text.replace(/(^|[/:])\.\.(?=\/)/g, '$1').includes('..')) return undefined;
  return /^(?:[\w@][\w@./~^-]*|:[0-3])?:([\w.][^*?[\]:]*)$/.exec(text)?.[1];
}

/** Relative to the command's directory, or to the top of the repository. */
function covers(spec: string, path: string, place: string): boolean {
  // A backslash escapes a character, so other texts name the same path.
  if (spec.startsWith(':') || spec.includes('\\')) return true;
  const isAll = /^[./]*$/.test(spec);
  if (!/[*?[]/.test(spec))
    return (
      isAll ||
      isWithin(path, resolve(place, spec)) ||
      `${path}/`.includes(`/${spec.replace(/^(?:\.?\/)+/, '')}/`)
    );
  return mayMatchName(foldName(resolve(place, spec)), foldName(path));
}

/** Git expands its own patterns in a word that the shell leaves alone. */
function pathspec(text: string): Value {
  return { text, glob: text, isPattern: /[*?[]/.test(text) };
}

function under(base: string, value: Value): Value {
  if (value.text.startsWith('/')) return value;
  return {
    ...value,
    text: `${base}/${value.text}`,
    glob: `${base.replace(/[\\*?[\]]/g, '\\$&')}/${value.glob}`,
  };
}
