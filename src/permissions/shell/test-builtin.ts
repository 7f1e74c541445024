import type { Effect } from './effect.ts';
import { literalOf, type ShellWord } from './types.ts';

const operators =
  /^(?:-[abcdefghknoprstuwxzGLNOS]|=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef|!|\(|\)|-a|-o)$/;

/**
 * `test` with `-v` or `-R` evaluates a subscript. A computed word may become any operator, so it is known only where it
 * can be nothing but an operand: one word, next to an operator that is in the text.
 */
export function classifyTest(name: string, words: readonly ShellWord[]): Effect {
  const last = literalOf(words.at(-1));
  if (name === '[' && last !== ']') return { known: false, reason: '[ without ]' };
  const inside = name === '[' ? words.slice(0, -1) : words;
  const texts = inside.map(literalOf);
  if (texts.some((text) => text === '-v' || text === '-R'))
    return { known: false, reason: 'test -v evaluates a subscript' };
  for (const [index, word] of inside.entries()) {
    if (texts[index] !== undefined) continue;
    const isBeside = [texts[index - 1], texts[index + 1]].some(
      (text) => text !== undefined && operators.test(text),
    );
    if (inside.length > 1 && (!isBeside || inside.length > 4))
      return { known: false, reason: `${word.text} may become an operator of test` };
    if (!word.single) return { known: false, reason: `${word.text} may be more than one word` };
  }
  return { known: true, uses: [] };
}
