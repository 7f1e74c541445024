import type { Word } from 'unbash';
import { expandBraces } from './braces.ts';
import { parseText } from './parse-text.ts';

/** A word that brace expansion made, with the text that its positions refer to. */
export interface BracedWord {
  readonly word: Word;
  readonly source: string;
}

/** The words that brace expansion makes of a word: `none` where it leaves it alone, undefined where that is unknown. */
export function expandWord(word: Word): readonly BracedWord[] | 'none' | undefined {
  if (!word.text.includes('{')) return 'none';
  const before = known.get(word);
  if (before) return before.words;
  const texts = expandBraces(word.text);
  const isSame = texts ? texts.length === 1 && texts[0] === word.text : !mayExpand(word);
  const words = isSame ? 'none' : texts && parseWords(texts);
  known.set(word, { words });
  return words;
}

/** One call is judged several times. */
const known = new WeakMap<Word, { words: readonly BracedWord[] | 'none' | undefined }>();

/** Braces in quotes and in `${…}` are not expanded. */
function mayExpand({ parts }: Word): boolean {
  return (
    parts === undefined ||
    parts.some(({ type, text }) => /^(?:BraceExpansion|Literal)$/.test(type) && text.includes('{'))
  );
}

/** The words of a braced part alone, for substitutions in it. */
export function expandPart(text: string): readonly BracedWord[] | undefined {
  const texts = expandBraces(text);
  return texts && parseWords(texts);
}

/** An empty word is dropped. */
function parseWords(texts: readonly string[]): readonly BracedWord[] | undefined {
  const words = texts.filter((text) => text !== '').map(parseWord);
  return words.every((word) => word !== undefined) ? words : undefined;
}

const head = ': ';

/** Results of brace expansion are not expanded again. */
function parseWord(text: string): BracedWord | undefined {
  const source = head + text;
  const script = parseText(source);
  const command = script.commands.length === 1 ? script.commands[0]?.command : undefined;
  if (script.errors?.length || command?.type !== 'Command' || command.redirects.length > 0) return undefined;
  const [word, ...more] = command.suffix;
  if (word?.type !== 'Word' || more.length > 0 || word.text !== text) return undefined;
  return word.parts?.some(({ type }) => type === 'BraceExpansion') ? undefined : { word, source };
}
