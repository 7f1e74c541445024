import { basename } from 'node:path';
import { untold } from '../../lib/told.ts';
import type { Look } from '../../places/look.ts';
import { mayMatchName } from '../../places/name-pattern.ts';
import { foldName } from '../../places/paths.ts';
import { isWithin } from '../../workspace/paths.ts';
import {
  isBroken,
  type ParsedShell,
  type Pieces,
  type ShellWord,
  type SimpleCommand,
  type Sweep,
  type Value,
} from '../grammar/types.ts';

/** How the words of a script read names that a search found, each way once. */
export type NamesTaken = ReadonlyMap<string, Pieces>;

export function findNamesTaken({ commands }: ParsedShell): NamesTaken {
  const taken = new Map<string, Pieces>();
  const visit = ({ words, redirects, inner }: SimpleCommand): void => {
    for (const word of [...words, ...redirects.map(({ target }) => target)])
      for (const pieces of listWordPieces(word)) if (splits(pieces)) taken.set(formatKey(pieces), pieces);
    inner.forEach(visit);
  };
  commands.forEach(visit);
  return taken;
}

/** Those of them by which a name of the workspace becomes another one. */
export function findBroken(taken: NamesTaken, look: Look | undefined): ReadonlySet<string> {
  if (!look) return new Set();
  return new Set([...taken].flatMap(([key, pieces]) => (mayBreak(pieces, look) ? [key] : [])));
}

/**
 * The same script, in which words that may have become others are computed: every judge of a command, its files, its data or
 * its grants then knows as little about them as about any text that is not in the line.
 */
export function breakWords(parsed: ParsedShell, broken: ReadonlySet<string>): ParsedShell {
  const breakOne = (word: ShellWord): ShellWord => {
    const pieces = listWordPieces(word).filter((one) => splits(one) && broken.has(formatKey(one)));
    return pieces.length === 0 ? word : buildComputed(word, pieces);
  };
  const breakAll = (command: SimpleCommand): SimpleCommand => ({
    ...command,
    words: command.words.map(breakOne),
    redirects: command.redirects.map((one) => ({ ...one, target: breakOne(one.target) })),
    inner: command.inner.map(breakAll),
  });
  return { ...parsed, commands: parsed.commands.map(breakAll) };
}

/** The text stays a guess, good enough for a refusal. Only a shell reads split text as a pattern. */
function buildComputed(word: ShellWord, pieces: readonly Pieces[]): ShellWord {
  const { values, isPlain: _, ...rest } = word;
  const mayMatch = !word.single && pieces.some(({ taken }) => taken === 'words');
  return {
    ...rest,
    ...(values ? { guesses: values } : {}),
    ...(mayMatch ? { mayMatch } : {}),
    isBroken: true,
  };
}

/** The word with the names as they were found: whatever else became of them, each may still be one of these. */
export function asFound(word: ShellWord): ShellWord {
  return word.isBroken && word.guesses ? { ...word, values: word.guesses } : word;
}

function listWordPieces({ values = [], pieces = [] }: ShellWord): readonly Pieces[] {
  return [...pieces, ...values.flatMap(listPieces)];
}

/** How the names behind a value were read. */
export function listPieces({ sweep, pieces }: Value): readonly Pieces[] {
  const { taken, from = [], tracked, only } = sweep ?? {};
  const found = sweep ? [{ taken, from, ...(tracked ? { tracked } : {}), ...(only ? { only } : {}) }] : [];
  return pieces ? [pieces, ...found] : found;
}

function splits({ taken }: Pieces): boolean {
  return taken !== undefined && taken !== 'whole';
}

function formatKey({ taken, from, tracked, glob, only = [] }: Pieces): string {
  return [taken, tracked === true, glob ?? '', only.join('\n'), ...from].join('\0');
}

/** Whether a name on its way from a search to a command may have become another one. */
export function mayBreak({ taken, from, tracked, glob, only }: Pieces, look: Look): boolean {
  if (taken === undefined || taken === 'whole') return false;
  const isMeant = (path: string) =>
    !only || only.some((pattern) => mayMatchName(foldName(pattern), foldName(basename(path))));
  // The directory of the search is unknown.
  if (from.length === 0) return true;
  return from.some((directory) => {
    if (tracked) return mayBreakKept(directory, { taken, isMeant }, look);
    if (glob !== undefined) return mayBreakFilled(directory, glob, taken, look);
    const below = look.below(directory);
    const vendored = look.vendored(directory);
    if (below === untold || vendored === untold) return true;
    // Below a directory with such a name there may be anything.
    return [...below.odd, ...vendored.odd].some(
      (one) => isBroken(basename(one), taken) && (isMeant(one) || look.isDirectory(one)),
    );
  });
}

/** Whether a link is a tracked file, or leads to one. */
export function isOnTheWay(link: string, kept: readonly string[]): boolean {
  return kept.some((path) => isWithin(path, link));
}

/** Git prints a name with special characters in quotes, as a name that it does not have. */
function mayBreakKept(
  directory: string,
  { taken, isMeant }: { taken: Sweep['taken']; isMeant: (path: string) => boolean },
  look: Look,
): boolean {
  const kept = look.tracked(directory);
  return (
    kept === untold ||
    kept.some((path) => {
      if (!isWithin(path, directory) || !isMeant(path)) return false;
      const name = path.slice(directory.length);
      return /["\\]|[^ -~]/.test(name) || isBroken(name, taken);
    })
  );
}

/** Above the directory a pattern finds what its own text says, and a name that it comes from. */
function mayBreakFilled(directory: string, glob: string, taken: Sweep['taken'], look: Look): boolean {
  const found = look.expand(directory, glob);
  if (found === untold) return true;
  return found.some((path) =>
    isBroken(isWithin(path, directory) ? path.slice(directory.length) : path, taken),
  );
}
