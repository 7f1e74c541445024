import { literalOf, type SimpleCommand } from './types.ts';

/**
 * Whether a command prints nothing but names of files, one each line, that a search in the workspace found. Where
 * the search begins is judged with the command itself.
 */
export function listsNames(command: SimpleCommand): boolean {
  const words = command.words.map(literalOf);
  const [name, ...rest] = words;
  if (command.redirects.some((one) => one.access === 'write' && literalOf(one.target) !== '/dev/null'))
    return false;
  const has = (...flags: string[]) => rest.some((word) => word !== undefined && flags.includes(word));
  const isPlain = rest.every((word) => word !== undefined);
  switch (name) {
    case 'find':
      return isPlain && !has('-ls', '-printf', '-exec', '-execdir', '-ok', '-okdir');
    case 'fd':
    case 'fdfind':
      return isPlain && !rest.some((word) => /^-(?:[lxX]|-(?:exec|list-details|format))/.test(word ?? ''));
    case 'rg':
      return isPlain && has('--files', '-l', '--files-with-matches', '-il', '-li');
    case 'grep':
      if (rest.some((word) => /^-[a-zA-Z]*[lL][a-zA-Z]*$/.test(word ?? '')))
        return isPlain && !has('-c', '-o');
      return (
        command.takesNames && isPlain && !rest.some((word) => /^-(?:[a-zA-Z]*[oncbH]|-)/.test(word ?? ''))
      );
    case 'ls':
      return isPlain && !rest.some(isLongListing);
    case 'git':
      return isPlain && ((rest[0] === 'ls-files' && !has('-s', '--stage', '-t', '-v')) || isNameOnly(rest));
    case 'head':
    case 'tail':
    case 'sort':
      return command.takesNames && isPlain;
    case 'uniq':
      return command.takesNames && rest.length === 0;
    default:
      return false;
  }
}

function isLongListing(word: string | undefined): boolean {
  return word?.startsWith('-') === true && !/^-[1aAdrt]+$/.test(word);
}

function isNameOnly(words: readonly (string | undefined)[]): boolean {
  return words[0] === 'diff' && words.includes('--name-only');
}
