import type { Rule } from '../protocol/permission.ts';
import { foldName } from './paths.ts';
import { matchesName } from './pattern.ts';
import { baseName, hidesName, type Piece, piecesOf, wordsOf } from './shell-words.ts';

/**
 * What the rules say of a command line. This is the place of a real shell grammar. Until it stands here, commands
 * are text, and text is only trusted to refuse: a rule with a wildcard grants nothing but a command of plain
 * words, while a refusal is looked for wherever a command could begin.
 */
export interface ShellJudgement {
  deny?: Rule;
  ask?: Rule;
  allow?: Rule;
  /** A rule that refuses or asks and cannot be ruled out, since the command's name is computed. */
  unclear?: Rule;
}

/** `rules` are those on the shell, each with a specifier. */
export function judgeShell(command: string, rules: readonly Rule[]): ShellJudgement {
  const refusing = rules.filter((rule) => rule.behaviour !== 'allow');
  const pieces = refusing.length > 0 ? piecesOf(command) : [];
  const refused = refusing.filter((rule) => refuses(rule.specifier ?? '', command, pieces));
  const deny = refused.find((rule) => rule.behaviour === 'deny');
  const ask = refused.find((rule) => rule.behaviour === 'ask');
  const allow = rules.find((rule) => rule.behaviour === 'allow' && grants(rule.specifier ?? '', command));
  const unclear = refusing.length > 0 && hidesName(command) ? refusing[0] : undefined;
  return {
    ...(deny ? { deny } : {}),
    ...(ask ? { ask } : {}),
    ...(allow ? { allow } : {}),
    ...(unclear ? { unclear } : {}),
  };
}

/** Words that need no quoting and mean nothing to a shell but themselves. */
const plainWords = /^[A-Za-z0-9 \-_./=:,@+%]+$/;

export function isPlainCommand(command: string): boolean {
  return plainWords.test(command);
}

/** A shell-wide grant, or one to a program that runs whatever it is given. Asked of rules on a shell only. */
export function isBroadGrant(rule: Rule): boolean {
  if (rule.behaviour !== 'allow') return false;
  const words = wordsOf((rule.specifier ?? '*').replace(/:\*$/, ' *'));
  const first = baseName(words[0] ?? '*');
  return words.some((word) => word.includes('*')) && (first.includes('*') || interpreters.has(first));
}

function grants(specifier: string, command: string): boolean {
  const form = formOf(specifier);
  if (form.kind === 'exact') return specifier.trim() === command.trim();
  if (!isPlainCommand(command)) return false;
  const words = wordsOf(command);
  if (form.kind === 'prefix') return form.words.every((word, index) => words[index] === word);
  return matchesName(form.pattern, words.join(' '));
}

function refuses(specifier: string, command: string, pieces: readonly Piece[]): boolean {
  if (specifier.trim() === command.trim()) return true;
  const form = formOf(foldName(specifier));
  return pieces.some((piece) =>
    form.kind === 'glob' ? refusesByGlob(form.pattern, piece) : refusesByWords(form, piece),
  );
}

type Form = WordsForm | { kind: 'glob'; pattern: string };
type WordsForm = { kind: 'exact'; words: string[] } | { kind: 'prefix'; words: string[] };

/** `exact`, `prefix:*`, `prefix *` (which ends at a word), or `*` anywhere. */
function formOf(specifier: string): Form {
  const prefix = /^(.*?)(?::\*| \*)$/s.exec(specifier.trim())?.[1];
  if (prefix !== undefined && !prefix.includes('*')) return { kind: 'prefix', words: wordsOf(prefix) };
  const words = wordsOf(specifier);
  if (!specifier.includes('*')) return { kind: 'exact', words };
  // Of a path pattern's signs only the star means anything in a command.
  const pattern = words
    .join(' ')
    .replace(/:\*$/, '*')
    .replace(/[\\?[]/g, '\\$&');
  return { kind: 'glob', pattern };
}

function refusesByWords(form: WordsForm, piece: Piece): boolean {
  const { words, start, wraps } = piece;
  const last = wraps ? words.length - 1 : start;
  for (let at = start; at <= last; at++) {
    const fits = form.words.every((word, offset) => {
      const given = words[at + offset] ?? '';
      return given === word || (offset === 0 && baseName(given) === word);
    });
    if (fits && (form.kind === 'prefix' || at + form.words.length === words.length)) return true;
  }
  return false;
}

function refusesByGlob(pattern: string, { words, start, wraps }: Piece): boolean {
  const text = words.slice(start).join(' ');
  const patterns = wraps ? [pattern, `* ${pattern}`, `*/${pattern}`] : [pattern];
  const shortened = [baseName(words[start] ?? ''), ...words.slice(start + 1)].join(' ');
  return patterns.some((one) => matchesName(one, text) || matchesName(one, shortened));
}

const interpreters: ReadonlySet<string> = new Set([
  ...['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish', 'eval', 'source', 'sudo', 'env', 'xargs', 'ssh', 'docker'],
  ...['python', 'python2', 'python3', 'node', 'deno', 'bun', 'ruby', 'perl', 'php', 'lua', 'awk', 'make'],
  ...['npx', 'bunx', 'pnpx', 'uvx', 'npm', 'pnpm', 'yarn'],
]);
