import { fileTools } from './file-tools.data.ts';
import { splitFind } from './find.ts';
import { type ReadArguments, readArguments } from './flags.ts';
import { sweepOfFd, sweepOfRipgrep } from './sweeps.ts';
import { everything, literalOf, type SimpleCommand, type Sweep } from './types.ts';

/**
 * Which files a command names, when it prints nothing but names of files, one each line, that a search in the workspace
 * found. Where the search begins is judged with the command itself.
 */
export function namesListed(command: SimpleCommand): Sweep | undefined {
  const words = command.words.map(literalOf);
  const [name, ...rest] = words;
  if (command.redirects.some((one) => one.access === 'write' && literalOf(one.target) !== '/dev/null'))
    return undefined;
  if (rest.some((word) => word === undefined)) return undefined;
  const texts = rest.map((word) => word ?? '');
  switch (name) {
    case 'find':
      return texts.some((text) => /^-(?:ls|printf|exec|execdir|ok|okdir)$/.test(text))
        ? undefined
        : splitFind(command.words).sweep;
    case 'fd':
    case 'fdfind':
      return texts.some((text) => /^-(?:[lxX]|-(?:exec|list-details|format))/.test(text))
        ? undefined
        : withArguments(command, 'fd', sweepOfFd);
    case 'rg':
      return withArguments(command, 'rg', (read) =>
        ['--files', '-l', '--files-with-matches'].some((flag) => read.flags.has(flag))
          ? sweepOfRipgrep(read)
          : undefined,
      );
    case 'grep':
      return namesOfGrep(texts, command.takesNames);
    case 'ls':
      if (texts.some(isLongListing)) return undefined;
      return { deep: false, hidden: texts.some((text) => /^-\w*[aA]/.test(text)) };
    case 'git':
      return namesOfGit(texts);
    case 'head':
    case 'tail':
    case 'sort':
      return command.takesNames;
    case 'uniq':
      return texts.length === 0 ? command.takesNames : undefined;
    default:
      return undefined;
  }
}

/** By the options that it really has: `-e -l` is a pattern. */
function withArguments(
  { words }: SimpleCommand,
  name: 'fd' | 'rg' | 'grep',
  sweepOf: (read: ReadArguments) => Sweep | undefined,
): Sweep | undefined {
  const spec = fileTools[name];
  const read = spec ? readArguments(words.slice(1), spec) : '';
  return typeof read === 'string' ? undefined : sweepOf(read);
}

function namesOfGrep(texts: readonly string[], given: Sweep | undefined): Sweep | undefined {
  if (texts.some((text) => /^-[a-zA-Z]*[lL][a-zA-Z]*$/.test(text)))
    return texts.includes('-c') || texts.includes('-o') ? undefined : (given ?? everything);
  return texts.some((text) => /^-(?:[a-zA-Z]*[oncbH]|-)/.test(text)) ? undefined : given;
}

function namesOfGit(texts: readonly string[]): Sweep | undefined {
  const isNameOnly = texts[0] === 'diff' && texts.includes('--name-only');
  const isList = texts[0] === 'ls-files' && !texts.some((text) => /^(?:-s|--stage|-t|-v)$/.test(text));
  if (!isNameOnly && !isList) return undefined;
  // Names of what is above begin with dots, and are read from there.
  if (texts.some((text) => /^[/~:]|(?:^|\/)\.\.(?:\/|$)/.test(text))) return undefined;
  const isKept = !texts.some((text) => /^-(?:[a-z]*[oik]|-(?:others|ignored|killed|directory))/.test(text));
  return isKept ? { ...everything, tracked: true } : everything;
}

function isLongListing(text: string): boolean {
  return text.startsWith('-') && !/^-[1aAdrt]+$/.test(text);
}
