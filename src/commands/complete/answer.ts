import { type Choice, findPlace, type WordPlace } from './find-place.ts';
import type { CompletedShell } from './request.ts';

/**
 * Answers the scripts of `cadre completions`: SHELL, WAY, then the words up to the cursor. The first line says what else
 * the shell offers (files, directories, nothing); each of the others is one candidate.
 */
export async function answerShell([shell = '', way = '', ...words]: readonly string[]): Promise<string> {
  const { before, after } = shell === 'bash' ? joinWords(words) : { before: words, after: '' };
  const wanted = findPlace(before);
  const current = before.at(-1) ?? '';
  const typed = current.slice(wanted.prefix.length);
  const { kind } = wanted;
  if (kind === 'file' || kind === 'directory') return `${kind}\n`;
  const choices = [...wanted.choices, ...(await findChoices(wanted))].filter(isSafe);
  const shown = withBareModels(choices, kind, typed);
  const lines = writers[shell as CompletedShell]?.(shown, {
    ...wanted,
    typed,
    way,
    cut: current.length - after.length,
  });
  return ['words', ...(lines ?? [])].map((line) => `${line}\n`).join('');
}

async function findChoices({ kind, given }: WordPlace): Promise<Choice[]> {
  if (kind === undefined || kind === 'file' || kind === 'directory') return [];
  try {
    const { findValues } = await import('./find-values.ts');
    return await findValues(kind, given);
  } catch {
    // What cannot be read is not offered: a message would land in the middle of what the user types.
    return [];
  }
}

/**
 * Names come from files of repositories and agents. A shell that inserts one as it is must not run anything because of
 * it, so only names without special characters are offered.
 */
function isSafe({ value }: Choice): boolean {
  return value.length <= 200 && /^[\p{L}\p{N}_.@%+/-][\p{L}\p{N}_.@%+:,=/-]*$/u.test(value);
}

/** A model can be named without its provider. */
function withBareModels(choices: Choice[], kind: WordPlace['kind'], typed: string): Choice[] {
  if (kind !== 'model' || typed === '' || choices.some(({ value }) => value.startsWith(typed)))
    return choices;
  const bare = choices.map(({ value, about }) => ({ value: value.slice(value.indexOf('/') + 1), about }));
  return bare.filter(({ value }) => value.startsWith(typed));
}

/** Bash takes a word apart at `=` and `:`; what it replaces is only the part after the last one. */
function joinWords(words: readonly string[]): { before: string[]; after: string } {
  const before: string[] = [];
  let isGlued = false;
  let after = '';
  for (const word of words) {
    const isBreak = /^[=:]+$/.test(word);
    const glues = before.length > 0 && (isBreak || isGlued);
    if (glues) before[before.length - 1] += word;
    else before.push(word);
    isGlued = isBreak;
    after = isBreak ? '' : word;
  }
  return { before, after };
}

interface Typing extends WordPlace {
  /** The current word without `--flag=`. */
  typed: string;
  /** How bash completes: 63 lists what is possible. */
  way: string;
  /** How many characters of the current word bash leaves alone. */
  cut: number;
}

const writers: Readonly<Record<CompletedShell, (choices: Choice[], typing: Typing) => string[]>> = {
  bash(choices, { typed, way, cut, prefix }) {
    const fitting = choices.filter(({ value }) => value.startsWith(typed));
    const values = fitting.map(({ value }) => (prefix + value).slice(cut));
    const width = Math.min(40, Math.max(0, ...values.map((value) => value.length)));
    // A list may say more than what is inserted, as long as there are several.
    const isList = (way === '63' || way === '33') && values.length > 1;
    return values.map((value, index) => {
      const about = fitting[index]?.about ?? '';
      return isList && about !== '' ? `${value.padEnd(width)}  ${about}` : value;
    });
  },
  zsh: (choices) =>
    choices.map(({ value, about }) => {
      const name = value.replaceAll(':', '\\:');
      return about === '' ? name : `${name}:${about}`;
    }),
  fish: (choices, { prefix }) =>
    choices.map(({ value, about }) => (about === '' ? prefix + value : `${prefix}${value}\t${about}`)),
};
