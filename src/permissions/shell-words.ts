import { foldName } from './paths.ts';

/** A run of words that could be a command, and where in it the command's name may stand. */
export interface Piece {
  readonly words: readonly string[];
  /** The first word that is no assignment and no keyword. */
  readonly start: number;
  /** That word runs other commands, so that a name may stand anywhere after it. */
  readonly wraps: boolean;
}

/**
 * Every piece of a command line that could be a command, in folded case. Read twice: without quotes and
 * backslashes, which may stand inside a name, and cut at quotes, which may hold a script of their own.
 */
export function piecesOf(command: string): Piece[] {
  return [unquote(command), ...command.split(/["']/)]
    .flatMap((text) => text.replace(redirections, ' ').split(/[;&|\n\r()`{}\u2028\u2029]|\$\(/))
    .map((text) => pieceOf(wordsOf(foldName(text))))
    .filter((piece) => piece.start < piece.words.length);
}

/** The name of some command is not in the text: it comes from a variable, a substitution or a pattern. */
export function hidesName(command: string): boolean {
  const text = unquote(command).replace(redirections, ' ');
  if (/\{[^\s{}]*(?:,|\.\.)[^\s{}]*\}/.test(text)) return true;
  return text
    .replace(/\$[({]?|`/g, '$ ')
    .split(/[;&|\n\r(){}\u2028\u2029]/)
    .map((part) => pieceOf(wordsOf(part)))
    .some(({ words, start, wraps }) => {
      const name = words[start] ?? '';
      if (name === '[' || name === '[[') return false;
      return /[$*?[]/.test(name) || (wraps && words.slice(start).some((word) => word.includes('$')));
    });
}

export function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

export function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

const redirections = /(?:(?<=\s|^)\d+)?[<>]+[&|]?[ \t]*[^\s();&|<>`]*/g;

function unquote(command: string): string {
  return command.replace(/\\\n/g, '').replace(/["'\\]/g, '');
}

function pieceOf(words: string[]): Piece {
  let start = 0;
  while (isAssignment(words[start]) || keywords.has(words[start] ?? '')) start++;
  return { words, start, wraps: wrappers.has(baseName(words[start] ?? '')) };
}

function isAssignment(word: string | undefined): boolean {
  return word !== undefined && /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(word);
}

const keywords: ReadonlySet<string> = new Set([
  ...['!', 'if', 'then', 'elif', 'else', 'while', 'until', 'do', 'for', 'case', 'in', 'select'],
  ...['coproc', 'function'],
]);

const wrappers: ReadonlySet<string> = new Set([
  ...['sudo', 'doas', 'su', 'env', 'command', 'builtin', 'exec', 'eval', 'source', '.', 'trap', 'noglob'],
  ...['nohup', 'nice', 'ionice', 'timeout', 'time', 'stdbuf', 'setsid', 'flock', 'script', 'strace', 'watch'],
  ...['xargs', 'parallel', 'find', 'busybox', 'chroot', 'unshare', 'ssh', 'docker'],
  ...['sh', 'bash', 'zsh', 'dash', 'ksh'],
]);
