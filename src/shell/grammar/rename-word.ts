import { literalValue, type ShellWord } from './types.ts';

/**
 * A file that a program makes beside another one, under a name made from its name. A file need not exist to be made, so
 * that nobody can tell what comes of a pattern.
 */
export function renameWord(word: ShellWord, rename: (name: string) => string): ShellWord {
  const { values } = word;
  if (!values || values.some(({ isPattern }) => isPattern)) return { text: word.text, single: word.single };
  return { ...word, values: values.map(({ text }) => literalValue(rename(text))) };
}
