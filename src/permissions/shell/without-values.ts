import { literalOf, type ShellWord } from './types.ts';

/** Without the values of these options, in the next word or joined by an equals sign. */
export function withoutValues(words: readonly ShellWord[], options: ReadonlySet<string>): readonly ShellWord[] {
  return words.filter((word, index) => {
    const text = literalOf(word) ?? '';
    if (options.has(literalOf(words[index - 1]) ?? '')) return false;
    return !(text.includes('=') && options.has(text.slice(0, text.indexOf('='))));
  });
}
