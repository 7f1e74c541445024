import { readLiteral, type ShellWord } from '../grammar/types.ts';

/** Without the values of certain options, in the next word or joined by an equals sign. */
export function withoutValues(
  words: readonly ShellWord[],
  isOption: (text: string) => boolean,
): readonly ShellWord[] {
  return words.filter((word, index) => {
    const text = readLiteral(word) ?? '';
    if (isOption(readLiteral(words[index - 1]) ?? '')) return false;
    return !(text.includes('=') && isOption(text.slice(0, text.indexOf('='))));
  });
}
