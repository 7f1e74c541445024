import { basename, join } from '../lib/files/exact-paths.ts';
import { listNames } from '../lib/files/list-if-there.ts';
import { listKnown } from '../lib/told.ts';
import { resolveGitPath } from '../workspace/git/config-files.ts';
import { isWithin } from '../workspace/paths.ts';
import { type CommandLook, scriptNames } from './command-look.ts';
import { type CommandWord, unknown } from './command-words.ts';
import { mayMatchName } from './name-pattern.ts';

export interface CommandPlace {
  /** The top of the work tree, where git runs commands. */
  readonly top: string;
  readonly userHome: string;
  /** One for all commands of a repository, whose words are often the same. */
  readonly look: CommandLook;
  readWords(command: string): CommandWord[] | undefined;
}

/** A directory in which other words of the command may name files. */
interface Base extends Pick<CommandWord, 'leads'> {
  readonly path: string;
}

/**
 * The files that a command of git's configuration could run, judging by its text. Every word with a slash is included, whether
 * it exists or not, also below the directories that the command goes to; one without a slash only where it names a file that may be run. A
 * directory is included as a whole where its word has a slash and is one of several, or where a part of a name in it is
 * computed or a pattern. Of one that is a bare word, only what other words name in it.
 */
export function findCommandFiles(command: string, place: CommandPlace): string[] {
  if (command === '') return [];
  const { top, userHome } = place;
  // It is too long to find the files it names.
  if (command.length > maxCommand) return [top];
  const words = place.readWords(command.replace(/\$(?:HOME\b|\{HOME\})/g, () => userHome));
  if (!words) return [top];
  const unique = [...new Map(words.map((word) => [`${word.leads} ${word.text}`, word])).values()];
  const texts = [...new Set(words.map(({ text }) => text))];
  const isAlone = !/[\s;|&()<>$`]/.test(command.trim());
  const paths = texts.flatMap((text) => findAtTop(text, place, isAlone));
  const bases = isAlone ? [] : findBases(unique, place);
  const programs = texts.filter((text) => !/^python/.test(basename(text)) || !runsModulesOnly(command));
  return [...new Set([...paths, ...findBelow(bases, texts, programs, place.look)])].filter(
    (path) => !isWithin(top, path) && !isDevice(path),
  );
}

const maxCommand = 16 * 1024;
/** Joined names are looked up one by one. Above it the directories count as a whole. */
const maxJoined = 2000;
const maxBases = 40;

function findAtTop(text: string, place: CommandPlace, isAlone: boolean): string[] {
  const { top, userHome, look } = place;
  const hasSlash = text.includes('/');
  // A bare pattern at the top, such as `*`, is for any file: only scripts are meant.
  if (isPattern(text)) return matchFiles(text, top, place).filter((path) => hasSlash || look.isScript(path));
  if (text.startsWith('-') && !hasSlash) return [];
  const path = resolveGitPath(text, top, userHome);
  if (!hasSlash) return (isAlone ? look.isScript(path) : look.isInput(path)) ? [path] : [];
  if (isAlone && look.isDirectory(path)) return [];
  return !/\s/.test(text) || look.isFile(path) ? [path] : [];
}

/** Directories among the words; those that the command is sure to go to, whether they exist or not, also from each other. */
function findBases(words: readonly CommandWord[], place: CommandPlace): Base[] {
  const { top, userHome, look } = place;
  const found = new Map<string, Base>();
  const add = (path: string, leads: CommandWord['leads']) => {
    if (path === top || path === '/' || (!leads && !look.isDirectory(path))) return;
    if (rank(leads) > rank(found.get(path)?.leads) || !found.has(path)) found.set(path, { path, leads });
  };
  for (const { text, leads } of words) {
    if (text.startsWith('-')) continue;
    if (isPattern(text)) for (const path of matchDirectories(text, place)) add(path, leads);
    else add(resolveGitPath(text, top, userHome), leads);
  }
  const steps = words.filter(({ text }) => isName(text) && !/^[/~]/.test(text) && !isPattern(text));
  for (let depth = 0, from = 0; depth < maxSteps; depth++) {
    const bases = [...found.values()];
    for (const { path, leads } of bases.slice(from).filter((base) => base.leads))
      for (const step of steps) {
        if (found.size > maxBases) return [...found.values()];
        const next = join(path, step.text);
        // Where it is at the top already, the command need not go there from another.
        const isSure = leads === 'going' && step.leads === 'going' && !look.isDirectory(join(top, step.text));
        if (look.isDirectory(next)) add(next, step.leads);
        else if (isSure && !path.endsWith(`/${step.text}`)) add(next, 'going');
      }
    from = bases.length;
  }
  return [...found.values()];
}

const maxSteps = 3;

function rank(leads: CommandWord['leads']): number {
  return leads === undefined ? 0 : ['held', 'going', 'search'].indexOf(leads) + 1;
}

function findBelow(
  bases: readonly Base[],
  texts: readonly string[],
  programs: readonly string[],
  look: CommandLook,
): string[] {
  const tails = texts.filter((text) => !/^[-/~]/.test(text) && !text.startsWith(`${unknown}/`));
  if (bases.length > maxBases || bases.length * tails.length > maxJoined)
    return bases.map(({ path }) => path);
  const taken = Object.entries(takenByThemselves).filter(([program]) =>
    programs.some((text) => basename(text).replace(/[\d.]+$/, '') === program),
  );
  return bases.flatMap((base) => [
    ...tails.flatMap((text) => findInBase(base, text, look)),
    ...taken.flatMap(([, names]) => names.map((name) => join(base.path, name))),
  ]);
}

function findInBase({ path: base, leads }: Base, text: string, look: CommandLook): string[] {
  if (isPattern(text)) return matchBelow(base, text);
  const path = join(base, text);
  if (text.includes('/')) return leads || look.isFile(path) ? [path] : [];
  if (leads === 'search' && isName(text)) return [path];
  if (!leads) return look.isScript(path) ? [path] : [];
  return scriptNames.test(text) || look.isInput(path) ? [path] : [];
}

/** What programs run in a directory that they are given, or work in. The first is the directory itself. */
const takenByThemselves: Readonly<Record<string, readonly string[]>> = {
  'run-parts': ['.'],
  ...{ make: ['Makefile', 'makefile', 'GNUmakefile'], gmake: ['Makefile', 'makefile', 'GNUmakefile'] },
  ...{ node: ['index.js', 'index.mjs', 'index.cjs', 'index.json'], python: ['__main__.py'] },
};

/** Whether every `python` in it is `python -m …`: the module gets the directory, and python does not run it. */
function runsModulesOnly(command: string): boolean {
  return !/python/.test(command.replace(/\bpython[\d.]*(?:\s+-[bBdEiIOqsSuv]+)*\s+-m\s/g, ''));
}

/** A name may be any in the directory: all in it counts. */
function matchBelow(base: string, text: string): string[] {
  // What is computed as a whole, such as `$1`, is mostly no file.
  if (!text.includes('/')) return /[*?[]/.test(text) ? [base] : [];
  const { known } = splitPattern(text);
  return [join(base, ...known)];
}

/** The directory before the first name that is not known; at the top, the files that it may be. */
function matchFiles(text: string, top: string, { look }: CommandPlace): string[] {
  const { known, first, rest } = splitPattern(text);
  const at = join(text.startsWith('/') ? '/' : top, ...known);
  if (first === undefined) return text.includes('/') ? [at] : [];
  if (at === '/' || /^\/(?:proc|sys|dev)(?:\/|$)/.test(at)) return [];
  if (at !== top) return [at];
  const sure = rest.filter((name) => !isPattern(name));
  return matchNames(at, first)
    .map((name) => join(at, name, ...sure))
    .filter(sure.length < rest.length ? look.isDirectory : look.isFile);
}

/** The directories at the top, or below one of them, that a pattern may be. */
function matchDirectories(text: string, { top, look }: CommandPlace): string[] {
  const { known, first, rest } = splitPattern(text);
  if (text.startsWith('/') || rest.some(isPattern)) return [];
  if (first === undefined) return [join(top, ...known)];
  if (known.length > 0) return [];
  return matchNames(top, first)
    .map((name) => join(top, name, ...rest))
    .filter(look.isDirectory);
}

/** What is computed at its beginning is taken for the top, as `$PWD/x` is. */
function splitPattern(text: string): { known: string[]; first?: string; rest: string[] } {
  const names = text
    .split('/')
    .filter((name, index) => name !== '' && name !== '.' && !(index === 0 && name === unknown));
  const at = names.findIndex(isPattern);
  if (at < 0) return { known: names, rest: [] };
  return { known: names.slice(0, at), first: names[at] ?? '', rest: names.slice(at + 1) };
}

function matchNames(directory: string, pattern: string): string[] {
  if (/^[\0{}]*$/.test(pattern)) return [];
  // Braces and what is computed may be any text.
  const loose = pattern.replace(/[\0{}]/g, '*');
  return listKnown(listNames(directory)).filter((name) => name !== '.git' && mayMatchName(loose, name));
}

function isPattern(text: string): boolean {
  return /[\0*?[{}]/.test(text);
}

function isName(text: string): boolean {
  return /^[^\s;|&()<>"'`$!=\\-][^\s;|&()<>"'`$!=\\]*$/.test(text);
}

export function isDevice(path: string): boolean {
  return path === '/dev/null';
}
