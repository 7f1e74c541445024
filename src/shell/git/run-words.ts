import { readLiteral, type ShellWord } from '../grammar/types.ts';
import { withoutValues } from '../programs/without-values.ts';
import { gitIs } from '../tables/git-subcommands.data.ts';
import { splitGit } from './writes.ts';

/**
 * The words of a git command that git might pass to a shell. For subcommands whose operands are names and messages only the
 * values of options that run something are included; for all others every word is.
 */
export function findRunByGit(words: readonly ShellWord[]): readonly ShellWord[] {
  const { name, rest } = splitGit(words);
  const before = words.slice(0, words.length - rest.length - (name === '' ? 0 : 1));
  const settings = before.filter((word) => readLiteral(word) !== '-C');
  if (!gitIs(name, 'names')) return [...settings, ...rest];
  const others = withoutValues(rest, (text) => isMessage(name, text));
  return [...settings, ...others.filter((word, index) => isRunning(name, word, others[index - 1]))];
}

/** The last of several joined letters takes the value. */
function isMessage(name: string, text: string): boolean {
  if (!gitIs(name, 'messages')) return false;
  return /^-[aenqsv]*m$/.test(text) || messages.has(text);
}

const messages: ReadonlySet<string> = new Set('--message -F --file --author --date --trailer'.split(' '));

/** A value that is run: of `--upload-pack`, `--exec`, `-x`, `-O`; or any word with more than a name in it. */
function isRunning(name: string, word: ShellWord, before: ShellWord | undefined): boolean {
  const text = readLiteral(word) ?? word.text;
  if (gitIs(name, 'messages') && /^-[aenqsv]*m/.test(text)) return false;
  const option = /^(?:--(?:upl|rec|exec|open|conf|temp)[a-z-]*|-[xOuc])/;
  return option.test(text) || option.test(readLiteral(before) ?? '') || /[\s;|&!]|::/.test(text);
}
