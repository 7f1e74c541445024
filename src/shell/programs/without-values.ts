import { literalOf, type ShellWord } from '../grammar/types.ts';

/** Without the values of certain options, in the next word or joined by an equals sign. */
export function withoutValues(
  words: readonly ShellWord[],
  isOption: (text: string) => boolean,
): readonly ShellWord[] {
  return words.filter((word, index) => {
    const text = literalOf(word) ?? '';
    if (isOption(literalOf(words[index - 1]) ?? '')) return false;
    return !(text.includes('=') && isOption(text.slice(0, text.indexOf('='))));
  });
}
