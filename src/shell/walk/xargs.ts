import { readLiteral, type ShellWord } from '../grammar/types.ts';

/** The effect of the options of `xargs` on its input. */
export interface XargsOptions {
  /** The position of the command. */
  readonly at: number;
  /** The text that `-I` replaces with each item; without it items are added at the end. */
  readonly replaced: string | undefined;
  /** How items are split: at NUL, at line ends, by blanks and quotes, or at another character. */
  readonly splits: 'zero' | 'line' | 'blanks' | 'other';
}

/**
 * The options of `xargs`, each at most once and in combinations where none overrides another: of two the last wins, and `-I`,
 * `-L` and `-n` switch each other off. A string says why they are unknown.
 */
export function readXargs(words: readonly ShellWord[]): XargsOptions | string {
  const given = new Map<string, string>();
  let at = 1;
  for (; at < words.length; at++) {
    const text = readLiteral(words[at]);
    if (text === undefined || !text.startsWith('-') || text === '-') break;
    if (text === '--') {
      at++;
      break;
    }
    const option = readOption(text, readLiteral(words[at + 1]));
    if (!option) return `xargs with ${text} may run something else`;
    for (const name of option.names) {
      if (given.has(name)) return `xargs with ${name} twice`;
      given.set(name, option.value ?? '');
    }
    if (option.takesNext) at++;
  }
  const exclusive = ['-I', '-L', '-n'].filter((name) => given.has(name));
  if (exclusive.length > 1) return `xargs with ${exclusive.join(' and ')}, which exclude each other`;
  if (given.has('-0') && given.has('-d')) return 'xargs with -0 and -d, which exclude each other';
  return { at, replaced: given.get('-I'), splits: findSplit(given) };
}

interface Option {
  readonly names: readonly string[];
  readonly value?: string;
  readonly takesNext?: boolean;
}

const flags: Readonly<Record<string, readonly string[]>> = {
  '-0': ['-0'],
  '--null': ['-0'],
  '-r': ['-r'],
  '--no-run-if-empty': ['-r'],
  '-t': ['-t'],
  '-0r': ['-0', '-r'],
  '-r0': ['-0', '-r'],
};

function readOption(text: string, next: string | undefined): Option | undefined {
  if (Object.hasOwn(flags, text)) return { names: flags[text] ?? [] };
  const [, name, joined] = /^(-[nLPsdI])(.*)$/s.exec(text) ?? [];
  if (name === undefined) return undefined;
  const value = joined === '' ? next : joined;
  if (value === undefined || value === '') return undefined;
  if (/^-[nLPs]$/.test(name) && !/^\d+$/.test(value)) return undefined;
  return { names: [name], value, takesNext: joined === '' };
}

function findSplit(given: ReadonlyMap<string, string>): XargsOptions['splits'] {
  const delimiter = given.get('-d');
  if (delimiter !== undefined) return /^(?:\n|\\n)$/.test(delimiter) ? 'line' : 'other';
  return given.has('-0') ? 'zero' : 'blanks';
}
