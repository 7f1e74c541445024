import type { Match } from '../grammar/types.ts';
import { type GlobalOptions, globalOptions } from '../tables/subcommands.data.ts';

/**
 * Whether the words after a program's name are a subcommand with options before it or between its parts. If the program's
 * options are unknown, any later word may be the subcommand.
 */
export function findBehindOptions(
  program: string,
  wanted: readonly string[],
  words: readonly (string | undefined)[],
  isExact: boolean,
): Match {
  const known = Object.hasOwn(globalOptions, program) ? globalOptions[program] : undefined;
  if (!known) return mayFollow(wanted, words) ? 'maybe' : 'no';
  return follow({ known, wanted, words, isExact, seen: new Map() }, 0, 0, true);
}

interface Search {
  readonly known: GlobalOptions;
  readonly wanted: readonly string[];
  readonly words: readonly (string | undefined)[];
  readonly isExact: boolean;
  /** Results from a position on, where it is not certain what is there. */
  readonly seen: Map<string, Match>;
}

/** A line with more options is asked about. */
const maxWords = 200;

function follow(search: Search, from: number, found: number, isSure: boolean): Match {
  const { known, wanted, words, isExact } = search;
  if (found === wanted.length) {
    return isExact && from < words.length && !known.takesMany ? 'no' : isSure ? 'yes' : 'maybe';
  }
  if (from >= words.length) return 'no';
  if (from > maxWords) return mayFollow(wanted, words) ? 'maybe' : 'no';
  const word = words[from];
  if (word === undefined) return 'maybe';
  if (word === '--') return follow(search, from + 1, found, isSure);
  if (/^[-+]./.test(word)) return followOption(search, word, from, found, isSure);
  const passed = known.passes && Object.hasOwn(known.passes, word) ? known.passes[word] : undefined;
  if (passed !== undefined) return follow(search, from + 1 + passed, found, isSure);
  const next = wanted[found] ?? '';
  if (word === next || (found === 0 && isSame(known, word, next)))
    return follow(search, from + 1, found + 1, isSure);
  if (known.abbreviates && found === 0 && word.length > 1 && next.startsWith(word))
    return follow(search, from + 1, found + 1, false);
  return known.takesMany || /^\w+=/.test(word) ? follow(search, from + 1, found, isSure) : 'no';
}

/** Whether two words are names of the same subcommand. */
function isSame({ aliases = {} }: GlobalOptions, word: string, wanted: string): boolean {
  return Object.entries(aliases).some(([name, others]) => {
    const names = [name, ...others.split(' ')];
    return names.includes(word) && names.includes(wanted);
  });
}

function followOption(search: Search, word: string, from: number, found: number, isSure: boolean): Match {
  const { valued, plain } = search.known;
  const has = (list: string, option: string) => list.split(' ').some((one) => one.toLowerCase() === option);
  if (word.includes('=') || word.startsWith('+') || has(plain, word))
    return has(valued, word) ? either(search, from, found) : follow(search, from + 1, found, isSure);
  if (has(valued, word)) return follow(search, from + 2, found, isSure);
  // A value joined to its letter, or joined letters: it takes no further word.
  const isJoined = /^-[a-z0-9]{2,}$/.test(word) && has(`${valued} ${plain}`, word.slice(0, 2));
  return isJoined ? follow(search, from + 1, found, isSure) : either(search, from, found);
}

/** It may take the next word or not. */
function either(search: Search, from: number, found: number): Match {
  const key = `${from} ${found}`;
  const before = search.seen.get(key);
  if (before) return before;
  const matches = [1, 2].map((step) => follow(search, from + step, found, false));
  const match = matches.includes('maybe') ? 'maybe' : 'no';
  search.seen.set(key, match);
  return match;
}

function mayFollow(wanted: readonly string[], words: readonly (string | undefined)[]): boolean {
  let at = -1;
  return wanted.every((one) => {
    at = words.findIndex((word, index) => index > at && word === one);
    return at >= 0;
  });
}
