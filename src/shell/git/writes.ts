import { joinPath } from '../../workspace/paths.ts';
import { literalValue, literalWord, mayBeOption, readLiteral, type ShellWord } from '../grammar/types.ts';
import type { PathUse } from '../programs/effect.ts';
import { gitIs } from '../tables/git-subcommands.data.ts';

/**
 * The files that options of a git command name for its output. They are written whatever rule allows the command: a rule for
 * `git diff` is meant for what it prints.
 */
export function findGitOutputs(name: string, rest: readonly ShellWord[]): PathUse[] {
  const isPlace = gitIs(name, 'places');
  if (!isPlace && !gitIs(name, 'compares')) return [];
  const found: ShellWord[] = [];
  for (const [index, word] of rest.entries()) {
    const text = readLiteral(word);
    if (text === '--') break;
    if (text === undefined) {
      if (mayBeOption(word)) found.push({ text: word.text, single: false });
      continue;
    }
    const value = /^--o[a-z-]*=(.*)$/s.exec(text)?.[1] ?? (isPlace ? /^-o(.+)$/s.exec(text)?.[1] : undefined);
    const isOutput = isAbbreviated(text.replace(/=.*$/s, ''));
    if (value !== undefined && (isOutput || text.startsWith('-o'))) found.push(literalWord(value));
    else if (isOutput || (isPlace && text === '-o')) found.push(rest[index + 1] ?? { text, single: false });
  }
  return found.map((word) => ({ kind: 'write', word, output: true }));
}

/** Git accepts the beginning of an option for the whole. */
function isAbbreviated(text: string): boolean {
  return text.length > 3 && ['--output', '--output-directory'].some((name) => name.startsWith(text));
}

/** The words before the subcommand, and after it. */
export function splitGit(words: readonly ShellWord[]): {
  name: string;
  rest: readonly ShellWord[];
  moves: readonly ShellWord[];
} {
  const moves: ShellWord[] = [];
  for (let at = 0; at < words.length; at++) {
    const text = readLiteral(words[at]) ?? '';
    if (!text.startsWith('-')) return { name: text, rest: words.slice(at + 1), moves };
    const next = words[at + 1];
    if (text === '-C' && next) moves.push(next);
    if (valued.has(text)) at++;
  }
  return { name: '', rest: [], moves };
}

const valued: ReadonlySet<string> = new Set([
  ...['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env', '--super-prefix'],
]);

/** Relative to the last directory that `-C` names. */
export function applyMoves(word: ShellWord, moves: readonly ShellWord[]): ShellWord {
  if (moves.length === 0 || !word.values) return word;
  const places = moves.map(readLiteral);
  if (places.some((place) => place === undefined)) return { text: word.text, single: false };
  const base = places.reduce((before, place) => joinPath(before ?? '', place ?? ''), '.') ?? '.';
  return { ...word, values: word.values.map(({ text }) => literalValue(joinPath(base, text))) };
}
