import { splitGit } from './git-writes.ts';
import { literalOf, type ShellWord } from './types.ts';
import { withoutValues } from './without-values.ts';

/**
 * The words of a git command that git might hand to a shell. Of subcommands that take their operands for names and messages
 * only the values of options that run something count; of all others every word does.
 */
export function findRunByGit(words: readonly ShellWord[]): readonly ShellWord[] {
  const { name, rest } = splitGit(words);
  const before = words.slice(0, words.length - rest.length - (name === '' ? 0 : 1));
  const settings = before.filter((word) => literalOf(word) !== '-C');
  if (!plain.has(name)) return [...settings, ...rest];
  return [...settings, ...withoutValues(rest, isMessage).filter(isRunning)];
}

const split = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Operands of these are revisions, branches, remotes and files. */
const plain = split(
  'add commit tag merge stash notes log show diff checkout switch branch mv rm restore reset cherry-pick revert push pull ' +
    'fetch clone grep init remote status worktree blame shortlog describe rev-parse ls-files clean am apply cat-file reflog',
);

/** The last of several joined letters takes the value. */
function isMessage(text: string): boolean {
  return /^-[a-zA-Z]*m$/.test(text) || messages.has(text);
}

const messages = split('--message -F --file --author --date --grep -S -G --trailer');

/** A value that is run: of `--upload-pack`, `--exec`, `-x`, `-O`; or any word with more than a name in it. */
function isRunning(word: ShellWord, index: number, words: readonly ShellWord[]): boolean {
  const text = literalOf(word) ?? word.text;
  const option = /^(?:--(?:upl|rec|exec|open|conf|temp)[a-z-]*|-[xOuc])/;
  return option.test(text) || option.test(literalOf(words[index - 1]) ?? '') || /[\s;|&!]|::/.test(text);
}
