import type { WordPart } from 'unbash';
import { literalValue, type Value } from '../grammar/types.ts';
import { readPlain } from './state-builtins.ts';
import type { Variables } from './variables.ts';

/** Whatever is cut off or chosen from a variable or an array, its assigned value is in the text. */
export function guessedVariable(part: WordPart): string | undefined {
  if (part.type === 'SimpleExpansion') return part.text.slice(1);
  return part.type === 'ParameterExpansion' && !part.prefix ? part.parameter : undefined;
}

export function guessValues(
  part: WordPart,
  name: string,
  fixed: string | undefined,
  { variables, home }: { readonly variables: Variables; readonly home: string },
): Value[] {
  const operation = part.type === 'ParameterExpansion' ? part.operation : undefined;
  const spare = operation?.type === 'Default' && operation.operand ? readPlain(operation.operand) : undefined;
  const given = [...(variables.get(name)?.values ?? []), ...(spare ? [literalValue(spare)] : [])];
  const isCut = operation?.type === 'Remove' || operation?.type === 'Slice';
  const own = fixed === undefined ? [] : [literalValue(isCut ? fixed.replace(/\/+$/, '') : fixed)];
  const homed = given.flatMap(({ text }) =>
    /^~(?:\/|$)/.test(text) ? [literalValue(home + text.slice(1))] : [],
  );
  return [...own, ...given, ...homed].slice(0, maxGuesses);
}

const maxGuesses = 64;
