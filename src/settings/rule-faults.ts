import { isWithin } from '../workspace/paths.ts';

/**
 * Why a deny or ask rule would not restrict what its author meant, with the right spelling: its signs have a meaning in shells
 * or other products and none in path patterns. Each can be written with a backslash where a name really holds it.
 */
export function findUselessPath(tool: string, pattern: string, base: string): string | undefined {
  const write = (...right: string[]) => right.map((one) => `${tool}(${one})`).join(' and ');
  const quoted = /^(["'`])(.+)\1$/s.exec(pattern)?.[2];
  if (quoted !== undefined) return `a pattern is written without quotes: ${write(quoted)}`;
  const braces = /^(.*?)(?<!\\)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern);
  if (braces) {
    const [, before = '', inside = '', after = ''] = braces;
    const right = inside.split(',').map((one) => before + one.trim() + after);
    return `braces are not expanded; write one rule for each: ${write(...right)}`;
  }
  const several = pattern.split(/(?<!\\),\s+|(?<=[*/]),|(?<!\\),(?=[.*~/])/);
  if (several.length > 1)
    return `expected one pattern, found several; write one rule for each: ${write(...several.map((one) => one.trim()))}`;
  if (/\\(?:\*\*|[\p{L}\p{N}_.-])/u.test(pattern))
    return `a backslash does not separate names: ${write(pattern.replaceAll('\\', '/'))}`;
  const isOneSlash = pattern.startsWith('/') && !pattern.startsWith('//');
  return isOneSlash && base !== '/' && isWithin(pattern.replace(/\/+$/, ''), base)
    ? `with one slash, a path starts in ${base}; a full path has two: ${write(`/${pattern}`)}`
    : undefined;
}

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
