import { splitFind } from './find.ts';
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
        : sweepOfFd(texts);
    case 'rg':
      return texts.some((text) => /^(?:--files|-l|--files-with-matches|-il|-li)$/.test(text))
        ? sweepOfRipgrep(texts)
        : undefined;
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

/** What begins with a dot is left out unless it is asked for, by an option or by a pattern. */
export function sweepOfRipgrep(texts: readonly string[]): Sweep {
  const globs = texts.flatMap((text, index) => {
    const joined = /^(?:--i?glob=|-g)(.+)$/s.exec(text)?.[1];
    if (joined !== undefined) return [joined];
    return /^(?:-g|--i?glob)$/.test(texts[index - 1] ?? '') ? [text] : [];
  });
  const wanted = globs.filter((glob) => !glob.startsWith('!'));
  const isOpen = texts.some((text) =>
    /^(?:--hidden|--unrestricted|-[a-zA-Z0-9]*[u.][a-zA-Z0-9.]*)$/.test(text),
  );
  const isPlain = wanted.every((glob) => !/[/{}\\]/.test(glob));
  return {
    deep: true,
    hidden: isOpen || wanted.length > 0,
    ...(wanted.length > 0 && isPlain ? { only: wanted } : {}),
  };
}

export function sweepOfFd(texts: readonly string[]): Sweep {
  return {
    deep: true,
    hidden: texts.some((text) => /^(?:--hidden|--unrestricted|-[a-zA-Z0-9]*[Hu])/.test(text)),
  };
}

function isLongListing(text: string): boolean {
  return text.startsWith('-') && !/^-[1aAdrt]+$/.test(text);
}
