import { readLiteral, type ShellWord } from '../grammar/types.ts';

/**
 * The end of a wrapper's options, from `at`; undefined when one of them is unknown. Written as in `-k: -v --signal:
 * -n[0-9]+`: with a colon it takes a value, with brackets it is a pattern.
 */
export function skipFlags(words: readonly ShellWord[], at: number, flags: string): number | undefined {
  const known = flags.split(' ').filter((flag) => flag !== '');
  for (let index = at; index < words.length; index++) {
    const text = readLiteral(words[index]);
    if (text === undefined) return index;
    if (text === '--') return index + 1;
    if (!text.startsWith('-') || text === '-') return index;
    const [name = '', value] = splitLong(text);
    if (value === undefined && known.some((flag) => matches(flag, text))) continue;
    if (!known.includes(`${name}:`)) return undefined;
    if (value !== undefined) continue;
    if (readLiteral(words[++index]) === undefined) return undefined;
  }
  return words.length;
}

function splitLong(text: string): [string, string | undefined] {
  const equals = text.startsWith('--') ? text.indexOf('=') : -1;
  return equals < 0 ? [text, undefined] : [text.slice(0, equals), text.slice(equals + 1)];
}

function matches(flag: string, text: string): boolean {
  return flag.includes('[') ? new RegExp(`^${flag}$`).test(text) : flag === text;
}
