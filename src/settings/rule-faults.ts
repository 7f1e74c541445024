import { isWithin } from '../workspace/paths.ts';

/**
 * Why a deny or ask rule would not restrict what its author meant, with the right spelling: its signs have a meaning in shells
 * or other products and none in path patterns. Each can be written with a backslash where a name really holds it.
 */
export function findUselessPath(
  /** Undefined for a list of paths. */
  tool: string | undefined,
  pattern: string,
  base: string,
): string | undefined {
  const write = (...right: string[]) =>
    right.map((one) => (tool === undefined ? one : `${tool}(${one})`)).join(' and ');
  const each = `write one ${tool === undefined ? 'entry' : 'rule'} for each`;
  const quoted = /^(["'`])(.+)\1$/s.exec(pattern)?.[2];
  if (quoted !== undefined) return `a pattern is written without quotes: ${write(quoted)}`;
  const braces = /^(.*?)(?<!\\)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern);
  if (braces) {
    const [, before = '', inside = '', after = ''] = braces;
    const right = inside.split(',').map((one) => before + one.trim() + after);
    return `braces are not expanded; ${each}: ${write(...right)}`;
  }
  const foreign = findAddress(pattern, write) ?? findForeignSign(pattern, write);
  if (foreign !== undefined) return foreign;
  const several = pattern.split(/(?<!\\),\s+|(?<=[*/]),|(?<!\\),(?=[.*~/])|(?<!\\)\||(?<!\\)\s+(?=[.~/])/);
  if (several.length > 1)
    return `expected one pattern, found several; ${each}: ${write(...several.map((one) => one.trim()))}`;
  if (/\\(?:\*\*|[\p{L}\p{N}_.-])/u.test(pattern))
    return `a backslash does not separate names: ${write(pattern.replaceAll('\\', '/'))}`;
  const isOneSlash = pattern.startsWith('/') && !pattern.startsWith('//');
  return isOneSlash && base !== '/' && isWithin(pattern.replace(/\/+$/, ''), base)
    ? `with one slash, a path starts in ${base}; a full path has two: ${write(`/${pattern}`)}`
    : undefined;
}

/** Beginnings that programs fill in, and a pattern does not. */
function findAddress(pattern: string, write: (...right: string[]) => string): string | undefined {
  const scheme = /^file:\/\/(\/.*)$/s.exec(pattern)?.[1];
  if (scheme !== undefined) return `a path is no address: ${write(`/${scheme}`)}`;
  const variable = /^\$(?:(\w+)|\{(\w+)\})(?=\/)/.exec(pattern);
  if (variable) {
    const rest = pattern.slice(variable[0].length);
    const isHome = (variable[1] ?? variable[2]) === 'HOME';
    return `variables are not filled in: ${isHome ? write(`~${rest}`) : `write the path itself, such as ${write(rest.slice(1))}`}`;
  }
  if (/^~[A-Za-z_][\w.-]*\//.test(pattern))
    return `~/ is your own home; another one is written in full: ${write(`//home/${pattern.slice(1)}`)}`;
  return undefined;
}

/** Signs of regular expressions and of other rules. */
function findForeignSign(pattern: string, write: (...right: string[]) => string): string | undefined {
  if (/^\^|\.\*\$$/.test(pattern)) return 'a pattern is not a regular expression: use * and **';
  const begun = /^(.+):\*$/s.exec(pattern)?.[1];
  if (begun !== undefined) return `only rules for commands end with :*; for a path: ${write(`${begun}*`)}`;
  const named = /^(?:file_path|notebook_path|path|pattern|glob):\s*(.+)$/s.exec(pattern)?.[1];
  if (named !== undefined) return `a path is written alone: ${write(named)}`;
  return /(?<!\\)\[[^\]]*$/.test(pattern) ? 'the bracket is not closed: expected ]' : undefined;
}

/** Behind a wildcard `..` could lead anywhere, and would match nothing. */
export function goesUpAfterWildcard(pattern: string): boolean {
  return /[*?[\\][^/]*\/(?:.*\/)?\.\.(?:\/|$)/s.test(pattern);
}

/** Why an entry of a list of closed paths would not close what its author meant. */
export function findUselessEntry(path: string): string | undefined {
  if (path !== path.trim()) return `white space around it is part of no name: ${path.trim()}`;
  if (path.startsWith('!')) return 'path patterns cannot be negated with !';
  if (goesUpAfterWildcard(path)) return 'a path pattern cannot have .. after a wildcard';
  return findInvisible(path) ?? findUselessPath(undefined, path, '/');
}

/** The same for commands: signs that lists, regular expressions and shells know, and that no command line has there. */
export function findUselessCommand(pattern: string): string | undefined {
  const quoted = /^(["'`])([^"'`]+)\1$/s.exec(pattern)?.[2] ?? unquoteFirstWord(pattern);
  if (quoted !== undefined) return `a command is written without quotes: ${writeCommands(quoted)}`;
  const several = splitCommands(pattern);
  if (several.length > 1)
    return `expected one command, found several; write one rule for each: ${writeCommands(...several)}`;
  if (/^![^\s]/.test(pattern)) return 'a rule cannot be negated with !';
  if (isExpression(pattern)) {
    const plain = pattern.replace(/^[\^/]|[$/]$/g, '').replaceAll('.*', '*');
    return `a command is not a regular expression, and * stands for any text: ${writeCommands(plain)}`;
  }
  return findStrayColon(pattern);
}

function writeCommands(...right: string[]): string {
  return right.map((one) => `Bash(${one})`).join(' and ');
}

/** `"rm" *`. With blanks in it, it is the name of a program. */
function unquoteFirstWord(pattern: string): string | undefined {
  const [, , word, rest = ''] = /^(["'`])([\w./-]+)\1(.*)$/s.exec(pattern) ?? [];
  return word === undefined ? undefined : word + rest;
}

/** `rm|curl`, `rm, curl`, `{rm,curl} *`, `rm:*, curl:*`. A line of several commands with arguments is one rule. */
function splitCommands(pattern: string): string[] {
  const names = /^[\w./-]+(?:\s*(?:\|\|?|[;,，、])\s*[\w./-]+)+$/.test(pattern);
  if (names) return pattern.split(/\s*(?:\|\|?|[;,，、])\s*/).map((name) => `${name}:*`);
  const [, group, rest = ''] = /^[{(]([\w./-]+(?:\s*[,|]\s*[\w./-]+)+)[)}](.*)$/s.exec(pattern) ?? [];
  if (group !== undefined) return group.split(/\s*[,|]\s*/).map((name) => name + rest);
  return pattern.split(/(?<=:\*)\s*[,;|]\s*/);
}

function isExpression(pattern: string): boolean {
  return (
    /^\^|^[\w-]+\.(?:\*$|\+)|^\/.+\.\*\/$|^\[[^\s[]/s.test(pattern) || // ^rm, rm.*, rm.+, /rm .*/, [rm]
    /^[^\s]*\\[bBsSwWd]|^[\w.*-]+\$$/.test(pattern) // \brm\b, rm$
  );
}

/** A colon means something in `:*` at the end only; no command has one in its first word. */
function findStrayColon(pattern: string): string | undefined {
  const begun = /^([\w.-]+(?: [\w.-]+)?):(?:\*\*)?$/.exec(pattern)?.[1];
  if (begun !== undefined)
    return `a rule for all that begins so ends with a colon and one star: ${writeCommands(`${begun}:*`)}`;
  const middle = /^([\w./-]+):\*\s+(.+)$/s.exec(pattern);
  if (middle)
    return `:* stands at the end only; elsewhere a star is enough: ${writeCommands(`${middle[1]} * ${middle[2]}`)}`;
  const word = /^([\w./-]+):(?!:|\*$)/.exec(pattern)?.[1];
  if (word === undefined || parameters.has(word)) return undefined;
  return `a command has no colon in its first word; for all that begins so: ${writeCommands(`${word}:*`)}`;
}

/** What a rule can say of a shell call besides its command. */
const parameters: ReadonlySet<string> = new Set(['run_in_background', 'dangerouslyDisableSandbox']);

/** A character that cannot be seen, by which a rule means another name than it seems to. */
export function findInvisible(text: string): string | undefined {
  const found = invisible.exec(text)?.[0] ?? joining.exec(text)?.[0];
  if (found === undefined) return undefined;
  const code = found.codePointAt(0) ?? 0;
  return `it contains an invisible character, U+${code.toString(16).toUpperCase().padStart(4, '0')}; remove it`;
}

/** Two joining characters belong to words of some scripts and to emoji, but not beside ASCII. */
const invisible = /(?![\u200c\u200d])[\p{Cf}\u115f\u1160\u3164\uffa0\u2800]/u;
const joining = /(?<=[!-~])[\u200c\u200d]|[\u200c\u200d](?=[!-~])/u;
