/** A word of a command, or a part of one that may be a path by itself. */
export interface CommandWord {
  /** Without quotes; `unknown` is in the place of each part that a shell computes. */
  readonly text: string;
  /** The command goes to this directory, a variable holds it, or programs are looked for in it. */
  readonly leads?: 'going' | 'held' | 'search';
}

/** In the place of `$x`, `${x}`, `$(…)` and the like. No value of a setting can hold it. */
export const unknown = '\0';

/**
 * The words of a command in every reading that a shell or git could take: scripts in quotes and in substitutions are read as
 * well, and words are taken apart at `=`, `:`, `,`, braces and what is computed. More than are there, never fewer. Undefined
 * where they are nested too deep.
 */
export function readCommandWords(command: string): CommandWord[] | undefined {
  const words: CommandWord[] = [];
  let waiting = [command];
  for (let depth = 0; waiting.length > 0; depth++) {
    if (depth > maxDepth) return undefined;
    const read = waiting.map(readScript);
    for (const script of read) words.push(...script.words.flatMap(takeApart));
    waiting = [...new Set(read.flatMap((script) => script.inner))];
  }
  // Quotes as separators, which is how a program may read a value that no shell sees.
  const split = command.replace(/\$\{?\w+\}?/g, unknown).split(/[\s;|&()<>"'`!=\\]+/);
  return [...words, ...split.filter((text) => text !== '').map((text) => ({ text }))];
}

const maxDepth = 12;

interface Script {
  readonly words: string[];
  /** Texts in it that may be scripts. */
  readonly inner: string[];
}

/** Splits as a shell does. What is not closed reaches to the end. */
function readScript(text: string): Script {
  const script: Script = { words: [], inner: [] };
  let word = '';
  const endWord = () => {
    const plain = word.replace(/^!+/, '');
    if (plain !== '') script.words.push(plain);
    // As in `sh -c '…'`.
    if (plain !== text && /[\s;|&()<>"'`$\\]/.test(plain)) script.inner.push(plain);
    word = '';
  };
  let isQuoted = false;
  for (let at = 0; at < text.length; ) {
    const sign = text[at] ?? '';
    const end = findEnd(text, at, isQuoted);
    const token = text.slice(at, end);
    at = end;
    if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /[\s;|&()<>]/.test(sign)) endWord();
    else word += readToken(token, isQuoted, script.inner);
  }
  endWord();
  return script;
}

/** Where the part of a word that begins here ends. */
function findEnd(text: string, at: number, isQuoted: boolean): number {
  const [sign, next = ''] = [text[at], text[at + 1]];
  const through = (found: number) => (found < 0 ? text.length : found + 1);
  if (sign === '\\') return at + 2;
  if (sign === '`') return through(text.indexOf('`', at + 1));
  if (!isQuoted && sign === "'") return through(text.indexOf("'", at + 1));
  if (sign !== '$') return at + 1;
  if (next === '(') return findClosing(text, at + 1, '(', ')');
  if (next === '{') return findClosing(text, at + 1, '{', '}');
  if (!isQuoted && next === "'") return through(text.indexOf("'", at + 2));
  const name = /^(?:\w+|[@*#?$!-])/.exec(text.slice(at + 1, at + 200))?.[0] ?? '';
  return at + 1 + name.length;
}

function findClosing(text: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === open) depth++;
    else if (text[at] === close && --depth === 0) return at + 1;
  }
  return text.length;
}

function readToken(token: string, isQuoted: boolean, inner: string[]): string {
  if (token.startsWith('\\')) return token.slice(1).replace('\n', '');
  if (!isQuoted && token.startsWith("'")) return token.slice(1).replace(/'$/, '');
  // Its escapes mean characters that are not in the text.
  if (!isQuoted && token.startsWith("$'"))
    return token
      .slice(2)
      .replace(/'$/, '')
      .replace(/\\.[\da-f]*/gis, unknown);
  if (token.startsWith('`') || /^\$[({]/.test(token)) {
    const text = token.replace(/^(?:\$[({]|`)|[)}`]$/g, '');
    inner.push(text);
    // What is taken where a variable is empty: `${x:-…}`.
    if (token.startsWith('${')) inner.push(text.replace(/^[#!]?\w*:?[-=+?]/, ''));
    return unknown;
  }
  // `$"…"` is a string with a translation.
  return token === '$' ? '' : token.startsWith('$') ? unknown : token;
}

/** The parts of a word that may be paths, and whether the word before it says that it is a directory. */
function takeApart(word: string, index: number, words: readonly string[]): CommandWord[] {
  const before = words.slice(Math.max(0, index - 3), index).filter((one) => !plainOption.test(one));
  const isGoing = going.test(before.at(-1) ?? '') || /^-C./.test(word);
  const own: CommandWord = { text: word, ...(isGoing ? { leads: 'going' } : {}) };
  const [, name = '', value = ''] = /^(-*[\w-]+)\+?=(.*)$/s.exec(word) ?? [];
  const values = readValues(name, value);
  // The value of an option may be part of its word.
  const option = /^-\w./.test(word) ? [{ ...own, text: word.slice(2) }] : [];
  const parts = /[=:,{}\0]/.test(word)
    ? [...word.split(/[=:,]+/), ...word.replace(/\0\/+/g, unknown).split(/[=:,{}\0]+/)]
    : [];
  return [own, ...values, ...option, ...parts.map((text) => ({ ...own, text }))].filter(
    ({ text }) => text !== '',
  );
}

function readValues(name: string, value: string): CommandWord[] {
  const isOption = name.startsWith('-');
  const leads = /path$/i.test(name) ? 'search' : going.test(name) ? 'going' : isOption ? undefined : 'held';
  return value.split(':').map((text) => (leads ? { text, leads } : { text }));
}

/** Between `cd` and its directory. */
const plainOption = /^-(?:-|[a-zA-BD-Z@]+)$/;

/** The next word is a directory, for a shell or for most programs that have such an option. */
const going = /^(?:\0*(?:cd|pushd|chdir)|-C|--(?:chdir|directory|cwd|dir|prefix|work-tree|exec-path))$/;
