import { faultOfAwk } from './awk.ts';
import { builtins } from './builtins.data.ts';
import { type Effect, type PathUse, unknown } from './effect.ts';
import { fileTools } from './file-tools.data.ts';
import { readArguments } from './flags.ts';
import { grantedFind } from './granted-find.ts';
import { grantedGit } from './granted-git.ts';
import { grantedSed } from './granted-sed.ts';
import { grantedTransfer } from './granted-transfers.ts';
import { textTools } from './text-tools.data.ts';
import type { ToolSpec, ToolTable } from './tool-spec.ts';
import { literalOf, literalWord, type ShellWord, type SimpleCommand } from './types.ts';
import { filesOf, readWriter } from './writer-uses.ts';
import { onlyReaders, unreadWriters, writers } from './writers.data.ts';

/**
 * The files that a command touches which a rule allows, though it is not known to change nothing: a rule for a program
 * is none for the files. Undefined for a program of which nothing is known: there the rule is the user's word.
 */
export function findGrantedEffect({ words }: SimpleCommand, reason: string): Effect | undefined {
  const [first, ...rest] = words;
  const name = literalOf(first)?.replace(/^.*\//s, '');
  if (name === undefined) return undefined;
  const writer = Object.hasOwn(writers, name) ? writers[name] : undefined;
  if (writer) return readWriter(name, writer, rest);
  switch (name) {
    case 'git':
      return grantedGit(rest);
    case 'find':
      return grantedFind(words);
    case 'sed':
      return grantedSed(rest);
    case 'awk':
      return grantedAwk(rest);
    case 'dd':
    case 'tar':
    case 'curl':
    case 'wget':
      return grantedTransfer(name, rest);
  }
  if (unreadWriters.has(name)) return unknown(`which files it would write cannot be told (${reason})`);
  // It sets a variable at most.
  if (name === 'printf') return { known: true, uses: [] };
  const spec = ownEntry(fileTools, name) ?? ownEntry(textTools, name) ?? ownEntry(builtins, name);
  if (!spec) return undefined;
  // Modules are files that only its program names.
  if (
    name === 'jq' &&
    withoutTexts(rest).some((word) => /\b(?:import|include)\b|^-L|^--lib/.test(literalOf(word) ?? 'import'))
  )
    return unknown('jq: the program may read other files');
  if (spec.inert || onlyReaders.has(name))
    return { known: true, uses: readsBy(spec, name === 'jq' ? withoutTexts(rest) : rest) };
  return unknown(`which files it would write cannot be told (${reason})`);
}

function ownEntry(table: ToolTable, name: string): ToolSpec | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** By its options and operands; where they are not all known, each word counts. */
function readsBy(spec: ToolSpec, words: readonly ShellWord[]): PathUse[] {
  const read = readArguments(words, { ...spec, allowed: true });
  if (typeof read === 'string') return words.flatMap(readsOf);
  if (spec.operands === 'text' || spec.operands === 'none') return filesOf(read);
  const takesPattern =
    spec.operands === 'pattern' && !spec.patternFlags?.split(' ').some((flag) => read.flags.has(flag));
  const files = takesPattern ? read.operands.slice(1) : read.operands;
  return [...filesOf(read), ...files.map((word): PathUse => ({ kind: 'read', word }))];
}

/** `--arg NAME TEXT` of jq gives it two words of text. */
function withoutTexts(words: readonly ShellWord[]): ShellWord[] {
  const isGiven = (at: number) => /^--arg(?:json)?$/.test(literalOf(words[at]) ?? '');
  return words.filter((word, at) => !word.single || !(isGiven(at) || isGiven(at - 1) || isGiven(at - 2)));
}

/** Of a tool that writes nothing whatever its options are: each word may be a file that it reads, or end with one. */
function readsOf(word: ShellWord): PathUse[] {
  const text = literalOf(word);
  if (text === undefined || !text.startsWith('-')) return [{ kind: 'read', word }];
  const ends = [text.slice(text.indexOf('=') + 1), text.slice(2)].filter((end) => end !== '' && end !== text);
  return ends.map((end) => ({ kind: 'read', word: literalWord(end) }));
}

function grantedAwk(words: readonly ShellWord[]): Effect {
  const texts = words.map(literalOf);
  const at = texts.findIndex(
    (text, index) => !text?.startsWith('-') && !/^-[Fv]$/.test(texts[index - 1] ?? ''),
  );
  const isShifted = words.slice(0, at + 1).some((word) => !word.single);
  const fault =
    isShifted || texts.slice(0, at).some((text) => text?.startsWith('-') && !/^-(?:[Fv].*|-)$/s.test(text));
  const inner = fault || at < 0 ? 'an option that is not known' : faultOfAwk(texts[at]);
  if (inner) return unknown(`awk: ${inner}`);
  return { known: true, uses: words.slice(at + 1).map((word) => ({ kind: 'read', word })) };
}
