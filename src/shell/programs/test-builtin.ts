import { readLiteral, type ShellWord } from '../grammar/types.ts';
import type { Effect } from './effect.ts';

const unary = /^-[abcdefghknprstuwxzGLNOS]$/;
const binary = /^(?:=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef|-a|-o)$/;

/**
 * `test` with `-v` or `-R` evaluates a subscript. A computed word may become any operator, so it is known only where it can
 * only be an operand: one word, next to an operator that is in the text.
 */
export function classifyTest(name: string, words: readonly ShellWord[]): Effect {
  const last = readLiteral(words.at(-1));
  if (name === '[' && last !== ']') return { known: false, reason: '[ without ]' };
  const inside = name === '[' ? words.slice(0, -1) : words;
  const texts = inside.map(readLiteral);
  if (texts.some((text) => text === '-v' || text === '-R'))
    return { known: false, reason: 'test -v evaluates a subscript' };
  const several = inside.find((word) => !word.single);
  if (several) return { known: false, reason: `${several.text} may be more than one word` };
  const computed = inside.find((_, index) => texts[index] === undefined);
  if (computed && !isFixedForm(texts))
    return { known: false, reason: `${computed.text} may become an operator of test` };
  return { known: true, uses: [] };
}

/** One operand; an operator and its operand; two operands around an operator; or each of these after `!`. */
function isFixedForm([first, ...rest]: readonly (string | undefined)[]): boolean {
  switch (rest.length) {
    case 0:
      return true;
    case 1:
      return first !== undefined && (first === '!' || unary.test(first));
    case 2:
      return isBinary(rest[0]) || (first === '!' && isFixedForm(rest) && !isBinary(rest[0]));
    default:
      return rest.length === 3 && first === '!' && isBinary(rest[1]);
  }
}

function isBinary(text: string | undefined): boolean {
  return text !== undefined && binary.test(text);
}
