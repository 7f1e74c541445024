import { everything, literalWord, readLiteral, type ShellWord } from '../grammar/types.ts';
import { here, type PathUse } from '../programs/effect.ts';
import { readArguments } from '../programs/flags.ts';
import { listArgumentUses, mayHideOption } from '../programs/read-spec.ts';
import { unclassedOption } from '../programs/sweeps.ts';
import type { ProgramSpec } from '../programs/tool-spec.ts';
import { sweepOptions } from '../tables/sweeps.data.ts';

/**
 * The files read by a tool that writes nothing, whatever its options are, and that a rule or the mode allows. With an option
 * that is not in its table its words alone do not tell them.
 */
export function grantedReads(name: string, spec: ProgramSpec, words: readonly ShellWord[]): PathUse[] {
  const flags = `${spec.flags} ${askingFlags}`;
  const allowed: ProgramSpec = { ...spec, flags, allowed: true, abbreviates: true };
  const originals = new Map(words.map((word) => [fillComputed(word), word] as const));
  const read = readArguments([...originals.keys()], allowed);
  if (
    typeof read === 'string' ||
    unclassedOption(name, read, asked) !== undefined ||
    (spec.operands === 'pattern' && mayHideOption(read))
  )
    return looseReads(name, words);
  const uses = listArgumentUses(name, spec, read).map((use) => ({
    ...use,
    word: originals.get(use.word) ?? use.word,
  }));
  // A computed word may be an option, or become several words.
  const isMoved = typeof readArguments(words, allowed) === 'string';
  return isMoved ? [...uses, ...words.filter((word) => !word.values).flatMap(listReads)] : uses;
}

/** Options of every GNU program. */
export const askingFlags = '--help --version';
const asked: ReadonlySet<string> = new Set(askingFlags.split(' '));

/** Represents a computed word: its position among the others is still known. */
function fillComputed(word: ShellWord): ShellWord {
  return word.values ? { ...word } : { ...literalWord('1'), text: word.text };
}

/** Each word may be a file, end with one, or be a directory of which it takes everything; and there may be more. */
function looseReads(name: string, words: readonly ShellWord[]): PathUse[] {
  const more: PathUse = { kind: 'read', word: { text: name, single: false }, isOpen: true };
  const isSearching = Object.hasOwn(sweepOptions, name);
  return [
    more,
    ...(isSearching ? [here] : []).map(buildSearch),
    ...words.flatMap(listReads).map(({ word }) => buildSearch(word)),
  ];
}

function buildSearch(word: ShellWord): PathUse {
  return { kind: 'search', word, sweep: { ...everything, follows: true } };
}

/** As it is, or as the value of an option. */
export function listReads(word: ShellWord): PathUse[] {
  const text = readLiteral(word);
  if (text === undefined || !text.startsWith('-')) return [{ kind: 'read', word }];
  const ends = [text.slice(text.indexOf('=') + 1), text.slice(2)].filter((end) => end !== '' && end !== text);
  return ends.map((end) => ({ kind: 'read', word: literalWord(end) }));
}
