import { basename, dirname } from 'node:path';
import { foldName } from '../../places/paths.ts';
import type { Rule } from '../../protocol/permission.ts';
import { joinPath } from '../../workspace/paths.ts';
import { readLiteral, type ShellWord, type SimpleCommand } from '../grammar/types.ts';
import { listTexts, readCommandName } from '../judge/command-words.ts';
import { isAboutProgram, mayBeProgram } from '../rules/rules.ts';
import type { Script } from '../walk/script.ts';

/** Resolves the links on a path. */
type RealPath = (path: string) => string;

/** The words of a command that is called by a path, with the name of the program that links lead to in place of its own. */
export function followProgram(
  { words, directories }: SimpleCommand,
  folded: readonly (string | undefined)[],
  realPath: RealPath | undefined,
): (string | undefined)[][] {
  const called = readLiteral(words[0]);
  if (!realPath || !called?.includes('/')) return [];
  const names = new Set(
    (called.startsWith('/') ? ['/'] : directories).map((start) =>
      foldName(basename(realPath(joinPath(start, called)))),
    ),
  );
  names.delete(foldName(basename(called)));
  return [...names].map((name) => [name, ...folded.slice(1)]);
}

/** Whether a line gives the program of a rule another name, by which it may then call it. */
export function makesLink(rule: Rule, { all }: Script): boolean {
  if (all.length < 2) return false;
  return all.some(
    ({ command }) =>
      linking.has(readCommandName(command)) &&
      command.words.slice(1).some((word) => mayNameProgram(rule, word, command.directories)),
  );
}

const linking: ReadonlySet<string> = new Set(['ln', 'link', 'cp', 'mv', 'install', 'dd', 'rsync']);

/** `dd` has its files behind `if=`. A pattern counts where programs are: elsewhere `*` would mean every one of them. */
function mayNameProgram(rule: Rule, word: ShellWord, directories: readonly string[]): boolean {
  if (listTexts(word).some((text) => isAboutProgram(rule, text.replace(/^if=/, '')))) return true;
  const patterns = (word.values ?? word.guesses ?? []).filter(({ isPattern }) => isPattern);
  return patterns.some(({ glob }) => {
    const places = glob.startsWith('/') ? [glob] : directories.map((start) => `${start}/${glob}`);
    return places.some((place) => holdsPrograms.test(dirname(place))) && mayBeProgram(rule, basename(glob));
  });
}

/** A directory `bin`, or one that a pattern names. */
const holdsPrograms = /(?:^|\/)s?bin(?:\/|$)|[*?[]/;
