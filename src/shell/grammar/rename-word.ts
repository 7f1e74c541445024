import { literalValue, type ShellWord } from './types.ts';

/**
 * A file that a program creates beside another one, under a name made from its name. A file need not exist to be created, so
 * the result of a pattern is unknown.
 */
export function renameWord(word: ShellWord, rename: (name: string) => string): ShellWord {
  const { values } = word;
  if (!values || values.some(({ isPattern }) => isPattern)) return { text: word.text, single: word.single };
  return { ...word, values: values.map(({ text }) => literalValue(rename(text))) };
}
