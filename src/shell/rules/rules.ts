import { matchesName, mayMatchName } from '../../places/name-pattern.ts';
import { foldName } from '../../places/paths.ts';
import type { Rule } from '../../protocol/permission.ts';
import { lastName } from '../grammar/tokens.ts';
import { type Match, readLiteral, type ShellWord, type SimpleCommand } from '../grammar/types.ts';
import { findBehindOptions } from '../programs/subcommands.ts';

type Form = { kind: 'exact' | 'prefix'; words: string[] } | { kind: 'glob'; pattern: string };

/** Whether an allow rule covers this one command, as written. Computed words may only be where a star ends. */
export function grants(rule: Rule, command: SimpleCommand): boolean {
  const form = findForm(rule);
  const words = command.words.map(readLiteral);
  if (form.kind === 'glob')
    return words.every((word) => word !== undefined) && matchesName(form.pattern, words.join(' '));
  if (form.kind === 'exact' && form.words.length !== words.length) return false;
  return form.words.every((word, index) => words[index] === word);
}

/** For each word of a command that a rule allows, whether the rule has exactly that word. */
export function spelledWords(rule: Rule, { words }: SimpleCommand): readonly boolean[] {
  const form = findForm(rule);
  if (form.kind !== 'glob')
    return words.map((_, index) => form.kind === 'exact' || index < form.words.length);
  const own = new Set(
    form.pattern
      .split(' ')
      .filter((word) => !word.includes('*'))
      .map((word) => word.replace(/\\(.)/g, '$1')),
  );
  return words.map((word) => own.has(readLiteral(word) ?? ''));
}

/** Whether a refusing or asking rule covers a command, or what it runs, under any name for the same program. */
export function refuses(rule: Rule, command: SimpleCommand, folded = foldWords(command)): Match {
  const form = findForm(rule);
  const words = withGitName(folded);
  const own = form.kind === 'glob' ? refusesByGlob(form.pattern, words) : refusesByWords(form, words, 0);
  if (own === 'yes') return own;
  // A program that runs others may name them anywhere among its words.
  if (command.wrapper?.kind !== 'opaque') return own;
  if (command.wrapper.isFed) return 'maybe';
  if (form.kind === 'glob') {
    const text = words.map((word) => word ?? '').join(' ');
    if (matchesName(`* ${form.pattern}`, text) || matchesName(`*/${form.pattern}`, text)) return 'yes';
  } else
    for (let start = 1; start < words.length; start++)
      if (refusesByWords(form, words, start) === 'yes') return 'yes';
  return own === 'maybe' || words.some((word) => word === undefined) ? 'maybe' : 'no';
}

/** `git-push` is `git push`. */
function withGitName(words: (string | undefined)[]): (string | undefined)[] {
  const [, name] = /^git-([a-z][a-z-]*)$/.exec(baseName(words[0] ?? '')) ?? [];
  return name === undefined ? words : ['git', name, ...words.slice(1)];
}

/** By its words in order, or with the program's own options before the subcommand. */
function refusesByWords(
  form: { kind: 'exact' | 'prefix'; words: readonly string[] },
  words: readonly (string | undefined)[],
  start: number,
): Match {
  const plain = refusesInPlace(form, words, start);
  if (plain === 'yes' || form.words.length < 2) return plain;
  const [program = '', ...wanted] = form.words;
  if (words[start] === undefined || baseName(words[start]) !== baseName(program)) return plain;
  const behind = findBehindOptions(baseName(program), wanted, words.slice(start + 1), form.kind === 'exact');
  return behind === 'no' ? plain : behind;
}

/** Whether a word is the program of a rule, by any path to it. */
export function isAboutProgram(rule: Rule, word: string): boolean {
  const form = findForm(rule);
  const name = baseName(foldName(word.replace(/\/+$/, '')));
  if (name === '') return false;
  if (form.kind !== 'glob') return form.words.length > 0 && baseName(form.words[0] ?? '') === name;
  const [first = ''] = form.pattern.split(' ');
  return matchesName(baseName(first), name);
}

/** Whether a pattern of names may become the program of a rule. */
export function mayBeProgram(rule: Rule, pattern: string): boolean {
  const form = findForm(rule);
  if (form.kind === 'glob') return true;
  return form.words.length > 0 && mayMatchName(foldName(pattern), baseName(form.words[0] ?? ''));
}

/** Whether a text may contain what a rule covers: each of its words, or the parts of a pattern between its stars. */
export function mayHold(rule: Rule, tokens: readonly string[], text: string): boolean {
  const form = findForm(rule);
  if (form.kind === 'glob') {
    const pieces = form.pattern
      .replace(/\\(.)/g, '$1')
      .split('*')
      .map((piece) => piece.trim());
    let at = 0;
    return pieces.every((piece) => {
      at = foldName(text).indexOf(piece, at);
      return at >= 0;
    });
  }
  return form.words.every((word, index) =>
    tokens.some((token) => {
      const folded = foldName(token);
      return folded === word || (index === 0 && lastName(folded) === baseName(word));
    }),
  );
}

function refusesInPlace(
  form: { kind: 'exact' | 'prefix'; words: readonly string[] },
  words: readonly (string | undefined)[],
  start: number,
): Match {
  let isSure = true;
  for (const [offset, wanted] of form.words.entries()) {
    const at = start + offset;
    if (at >= words.length) return isSure ? 'no' : 'maybe';
    const given = words[at];
    if (given === undefined) isSure = false;
    else if (given !== wanted && !(offset === 0 && baseName(given) === wanted))
      return isSure ? 'no' : 'maybe';
  }
  if (form.kind === 'exact' && start + form.words.length !== words.length)
    return words.slice(start).some((word) => word === undefined) ? 'maybe' : 'no';
  return isSure ? 'yes' : 'maybe';
}

function refusesByGlob(pattern: string, words: readonly (string | undefined)[]): Match {
  const computed = words.indexOf(undefined);
  const known = words.slice(0, computed < 0 ? words.length : computed).map((word) => word ?? '');
  const [first = '', ...rest] = known;
  const texts = [known.join(' '), [baseName(first), ...rest].join(' ')];
  if (computed < 0) return texts.some((text) => matchesName(pattern, text)) ? 'yes' : 'no';
  // The visible text must not already differ from the pattern's beginning.
  const literal = /^(?:\\.|[^*\\])*/.exec(pattern)?.[0].replace(/\\(.)/g, '$1') ?? '';
  return texts.some((text) => text.startsWith(literal) || literal.startsWith(text)) ? 'maybe' : 'no';
}

export function foldWords(command: SimpleCommand): (string | undefined)[] {
  return command.words.map(foldWord);
}

/** A word with one text, in folded case. With several possible texts none is certain. */
function foldWord(word: ShellWord): string | undefined {
  const text = readLiteral(word);
  return text === undefined ? undefined : foldName(text);
}

/** `exact`, `prefix:*`, `prefix *` (which ends at a word), or `*` anywhere. */
function findForm(rule: Rule): Form {
  const before = forms.get(rule);
  if (before) return before;
  const form = readForm(rule.behaviour === 'allow' ? (rule.specifier ?? '') : foldName(rule.specifier ?? ''));
  forms.set(rule, form);
  return form;
}

const forms = new WeakMap<Rule, Form>();

function readForm(specifier: string): Form {
  const prefix = /^(.*?)(?::\*| \*)$/s.exec(specifier.trim())?.[1];
  if (prefix !== undefined && !prefix.includes('*')) return { kind: 'prefix', words: splitWords(prefix) };
  const words = splitWords(specifier);
  if (!specifier.includes('*')) return { kind: 'exact', words };
  // Of the signs of a path pattern only the star has a meaning in a command.
  const pattern = words
    .join(' ')
    .replace(/:\*$/, '*')
    .replace(/[\\?[]/g, '\\$&');
  return { kind: 'glob', pattern };
}

export function splitWords(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

export function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
