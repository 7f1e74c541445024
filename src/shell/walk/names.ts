import { goesUp, isWithin } from '../../workspace/paths.ts';
import {
  everything,
  isBroken,
  readLiteral,
  type ShellWord,
  type SimpleCommand,
  type Sweep,
} from '../grammar/types.ts';
import { splitFind } from '../programs/find.ts';
import { type ReadArguments, readArguments } from '../programs/flags.ts';
import { describeFdSweep, describeSweep, unclassedOption } from '../programs/sweeps.ts';
import { describeRipgrepSweep } from '../programs/sweeps-ripgrep.ts';
import { fileTools } from '../tables/file-tools.data.ts';

/**
 * The files that a command names, when it prints only file names, one per line, that a search in the workspace found. The
 * starting point of the search is judged with the command itself.
 */
export function namesListed(command: SimpleCommand): Sweep | undefined {
  const sweep = findNames(command);
  if (!sweep) return undefined;
  const endsAtZero = readLiteral(command.words[0]) === 'find' ? /^-print0$/ : zeroOption;
  const isZero = sweep.zero || command.words.some((word) => endsAtZero.test(readLiteral(word) ?? ''));
  return { ...sweep, from: sweep.from ?? command.directories, ...(isZero ? { zero: true as const } : {}) };
}

/** More than needed: a word that only looks like one costs a question. */
const zeroOption = /^(?:--print0|--null(?:-data)?|-[a-zA-Z]*[0zZ][a-zA-Z0]*)$/;

function findNames(command: SimpleCommand): Sweep | undefined {
  const name = readLiteral(command.words[0]);
  if (name === undefined || !listing.has(name)) return undefined;
  if (filters.has(name) && !command.takesNames) return undefined;
  const rest = command.words.slice(1).map(readLiteral);
  if (command.redirects.some((one) => one.access === 'write' && readLiteral(one.target) !== '/dev/null'))
    return undefined;
  if (command.mixes || rest.some((word) => word === undefined)) return undefined;
  const texts = rest.map((word) => word ?? '');
  switch (name) {
    case 'find':
      return texts.some((text) => /^-(?:ls|printf|exec|execdir|ok|okdir)$/.test(text))
        ? undefined
        : describeFindSweep(command);
    case 'fd':
    case 'fdfind':
      return texts.some((text) => /^-(?:[lxX]|-(?:exec|list-details|format))/.test(text))
        ? undefined
        : withArguments(command, 'fd', describeFdSweep);
    case 'rg':
      return withArguments(command, 'rg', (read, starts) =>
        ['--files', '-l', '--files-with-matches'].some((flag) => read.flags.has(flag))
          ? { ...describeRipgrepSweep(read), ...begin(starts) }
          : undefined,
      );
    case 'grep':
      return withArguments(command, 'grep', (read, starts) =>
        describeGrepNames(read, starts, command.takesNames),
      );
    case 'ls':
      return describeListNames(command, texts);
    case 'git':
      return describeGitNames(texts);
    case 'head':
    case 'tail':
      return isFilter(texts, /^(?:-\d+|-n\+?\d*|--lines=\+?\d+|\+?\d+)$/) ? command.takesNames : undefined;
    case 'sort':
      return isFilter(texts, /^-[bdfghiMnRrsuV]+$/) ? command.takesNames : undefined;
    case 'uniq':
      return texts.length === 0 ? command.takesNames : undefined;
    default:
      return undefined;
  }
}

const filters: ReadonlySet<string> = new Set(['head', 'tail', 'sort', 'uniq']);
const listing: ReadonlySet<string> = new Set([...filters, 'find', 'fd', 'fdfind', 'rg', 'grep', 'ls', 'git']);

/** Options that add nothing to the names. */
const listOptions =
  /^-(?:[cdmoikz]+|-|-(?:cached|deleted|modified|others|ignored|killed|exclude-standard|deduplicate|directory))$/;

/** By the options that it really has: `-e -l` is a pattern. */
function withArguments(
  command: SimpleCommand,
  name: 'fd' | 'rg' | 'grep',
  readSweep: (read: ReadArguments, starts: readonly string[]) => Sweep | undefined,
): Sweep | undefined {
  const spec = fileTools[name];
  const read = spec ? readArguments(command.words.slice(1), spec) : '';
  if (!spec || typeof read === 'string' || unclassedOption(name, read) !== undefined) return undefined;
  const hasPattern = spec.patternFlags?.split(' ').some((flag) => read.flags.has(flag));
  const starts = read.operands.slice(hasPattern ? 0 : 1);
  return isBelow(starts, command) ? readSweep(read, listLiterals(starts)) : undefined;
}

/** Where the names begin, if that is plain text: not `.`, which some programs leave out, and nothing that is split itself. */
function begin(starts: readonly string[]): Pick<Sweep, 'starts'> {
  return starts.length > 0 && starts.every((text) => plainStart.test(text)) ? { starts } : {};
}

function listLiterals(words: readonly ShellWord[]): string[] {
  return words.map((word) => readLiteral(word) ?? '');
}

const plainStart = /^(?:\.\/)*[\w@+/][\w@+./-]*$/;

function describeFindSweep(command: SimpleCommand): Sweep | undefined {
  const { starts, sweep } = splitFind(command.words);
  return isBelow(starts, command) ? { ...sweep, ...begin(listLiterals(starts)) } : undefined;
}

/** A name found elsewhere is not below the directory of the command, where such names are checked. */
function isBelow(starts: readonly ShellWord[], { directories }: SimpleCommand): boolean {
  return starts.every((word) => {
    const text = readLiteral(word);
    if (text === undefined || goesUp(text)) return false;
    // Each name begins with an absolute path, whose part before the directory is not checked.
    if (text.startsWith('/') && isBroken(text, 'words')) return false;
    return !text.startsWith('/') || directories.every((directory) => isWithin(text, directory));
  });
}

/** `-l` lists files; otherwise it passes on lines of its input, if it reads nothing else and adds nothing. */
function describeGrepNames(
  read: ReadArguments,
  starts: readonly string[],
  given: Sweep | undefined,
): Sweep | undefined {
  const { flags, operands } = read;
  const has = (...names: string[]) => names.some((name) => flags.has(name));
  if (has('-c', '--count', '-o', '--only-matching', '--label')) return undefined;
  if (has('-l', '-L', '--files-with-matches', '--files-without-match')) {
    const searched = describeSweep('grep', read);
    // Some take a file that is named itself, whatever they are to include.
    const isPlain = starts.every((text) => !isBroken(text, 'xargs'));
    const only = searched === 'none' || !isPlain ? undefined : searched.only;
    return { ...everything, ...(only ? { only } : {}), ...begin(starts) };
  }
  const isPlain = [...flags].every((flag) => /^-[EFGPivwxyem]$/.test(flag));
  return isPlain && operands.length === (flags.has('-e') ? 0 : 1) ? given : undefined;
}

/** A number of lines, but not of bytes; a number alone is the value of `-n`, which must come before it. */
function isFilter(texts: readonly string[], known: RegExp): boolean {
  return texts.every(
    (text, index) => known.test(text) && (text.startsWith('-') || /^-n$/.test(texts[index - 1] ?? '')),
  );
}

/**
 * Only the index, from the directory of the command. Names of the past (`git diff --name-only HEAD~1`) may be any names: with
 * blanks or `..` in them, of files that are now ignored, and from the top of the repository.
 */
function describeGitNames(texts: readonly string[]): Sweep | undefined {
  const isList =
    texts[0] === 'ls-files' && texts.every((text) => !text.startsWith('-') || listOptions.test(text));
  if (!isList) return undefined;
  // Names in directories above begin with dots, and are read from there.
  if (texts.some((text) => /^[/~:]|(?:^|\/)\.\.(?:\/|$)/.test(text))) return undefined;
  const isKept = !texts.some((text) => /^-(?:[a-z]*[oik]|-(?:others|ignored|killed|directory))/.test(text));
  if (!isKept) return everything;
  const separator = texts.indexOf('--');
  const isPath = (at: number) => (separator >= 0 && at > separator) || !texts[at]?.startsWith('-');
  const paths = texts.filter((_, at) => at > 0 && isPath(at));
  // Of a pathspec of this form only the last name of a path matters.
  const isOnly = paths.length > 0 && paths.every((text) => /^\*\.\w+$/.test(text));
  return { ...everything, tracked: true, ...(isOnly ? { only: paths } : begin(paths)) };
}

/**
 * `-a` names the directory above as well. With several operands each directory gets a heading, and an empty line before it.
 */
function describeListNames(command: SimpleCommand, texts: readonly string[]): Sweep | undefined {
  const operands = command.words.slice(1).filter((_, index) => !texts[index]?.startsWith('-'));
  if (texts.some(isLongListing) || !isBelow(operands, command)) return undefined;
  const isOne = operands.length <= 1;
  return {
    deep: false,
    hidden: texts.some((text) => /^-\w*A/.test(text)),
    ...(isOne ? {} : { mayBeEmpty: true as const }),
  };
}

function isLongListing(text: string): boolean {
  return text.startsWith('-') && !/^-[1Adrt]+$/.test(text);
}
