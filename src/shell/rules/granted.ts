import { readLiteral, type ShellWord, type SimpleCommand } from '../grammar/types.ts';
import { findAwkFault } from '../programs/awk.ts';
import { type Effect, unknown } from '../programs/effect.ts';
import { environments, showsEnvironments } from '../programs/ps.ts';
import type { ProgramSpec, ToolTable } from '../programs/tool-spec.ts';
import { readWriter } from '../programs/writer-uses.ts';
import { builtins } from '../tables/builtins.data.ts';
import { fileTools } from '../tables/file-tools.data.ts';
import { textTools } from '../tables/text-tools.data.ts';
import { onlyReaders, unreadWriters, writers } from '../tables/writers.data.ts';
import { grantedFind } from './granted-find.ts';
import { grantedGit } from './granted-git.ts';
import { grantedReads, listReads } from './granted-reads.ts';
import { grantedSed } from './granted-sed.ts';
import { grantedTransfer } from './granted-transfers.ts';

/**
 * The files that an allowed command touches, though it is not known to change nothing: a rule for a program does not cover
 * the files. Undefined for an unknown program: there the rule is the user's decision.
 */
export function findGrantedEffect({ words }: SimpleCommand, reason: string): Effect | undefined {
  const [first, ...rest] = words;
  const name = readLiteral(first)?.replace(/^.*\//s, '');
  if (name === undefined) return undefined;
  const writer = Object.hasOwn(writers, name) ? writers[name] : undefined;
  if (writer) return readWriter(name, writer, rest);
  switch (name) {
    case 'git':
      return grantedGit(rest);
    case 'find':
      return grantedFind(words);
    case 'ps':
      return showsEnvironments(rest) ? { known: true, uses: [environments] } : undefined;
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
  if (unreadWriters.has(name)) return unknown(`the files it would write are unknown (${reason})`);
  // It sets at most a variable.
  if (name === 'printf') return { known: true, uses: [] };
  const spec = ownEntry(fileTools, name) ?? ownEntry(textTools, name) ?? ownEntry(builtins, name);
  if (!spec) return undefined;
  // Modules are files that only its program names.
  if (
    name === 'jq' &&
    withoutTexts(rest).some((word) => /\b(?:import|include)\b|^-L|^--lib/.test(readLiteral(word) ?? 'import'))
  )
    return unknown('jq: the program may read other files');
  // All other options of jq are known to read the files that their words name.
  if (name === 'jq') return { known: true, uses: withoutTexts(rest).flatMap(listReads) };
  if (spec.inert || onlyReaders.has(name)) return { known: true, uses: grantedReads(name, spec, rest) };
  return unknown(`the files it would write are unknown (${reason})`);
}

function ownEntry(table: ToolTable, name: string): ProgramSpec | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** `--arg NAME TEXT` of jq gives it two words of text. */
function withoutTexts(words: readonly ShellWord[]): ShellWord[] {
  const isGiven = (at: number) => /^--arg(?:json)?$/.test(readLiteral(words[at]) ?? '');
  return words.filter((word, at) => !word.single || !(isGiven(at) || isGiven(at - 1) || isGiven(at - 2)));
}

function grantedAwk(words: readonly ShellWord[]): Effect {
  const texts = words.map(readLiteral);
  const at = texts.findIndex(
    (text, index) => !text?.startsWith('-') && !/^-[Fv]$/.test(texts[index - 1] ?? ''),
  );
  const isShifted = words.slice(0, at + 1).some((word) => !word.single);
  const fault =
    isShifted || texts.slice(0, at).some((text) => text?.startsWith('-') && !/^-(?:[Fv].*|-)$/s.test(text));
  const inner = fault || at < 0 ? 'an unknown option' : findAwkFault(texts[at]);
  if (inner) return unknown(`awk: ${inner}`);
  return { known: true, uses: words.slice(at + 1).map((word) => ({ kind: 'read', word })) };
}
