import { type Effect, here, type PathUse, unknown } from './effect.ts';
import { readArguments } from './flags.ts';
import { sweepOf } from './sweeps.ts';
import type { ToolSpec } from './tool-spec.ts';
import { literalOf, type ShellWord } from './types.ts';
import { isHarmlessName } from './variables.ts';

/** A command against what is known of its tool. */
export function readSpec(name: string, spec: ToolSpec | undefined, words: readonly ShellWord[]): Effect {
  if (!spec) return unknown(`${name} is not known to change nothing`);
  const read = readArguments(words, spec);
  if (typeof read === 'string') return unknown(`${name}: ${read}`);
  const { operands, flags, files, patterns } = read;
  const takesPattern =
    spec.operands === 'pattern' && !spec.patternFlags?.split(' ').some((flag) => flags.has(flag));
  const rest = takesPattern ? operands.slice(1) : operands;
  const fault = faultOfOperands(name, spec, takesPattern, operands, patterns);
  if (fault) return unknown(`${name}: ${fault}`);
  const uses: PathUse[] = files.map((word) => ({ kind: 'read', word }));
  if (spec.operands === 'text' || spec.operands === 'none')
    return { known: true, uses: [...uses, ...namesShown(operands)] };
  const isDeep = spec.deep === true || spec.deep?.split(' ').some((flag) => flags.has(flag)) === true;
  const looks =
    spec.operands === 'names' || name === 'fd' || flags.has('--files') ? 'list' : isDeep ? 'search' : 'read';
  const kind = name === 'cd' ? 'enter' : looks;
  // Whether a search reads the pipe or the directory is not always to be seen.
  const places = rest.length === 0 && (spec.here || isDeep) ? [here] : distinctWords(rest);
  const sweep = sweepOf(name, read);
  uses.push(
    ...places.filter((word) => literalOf(word) !== '-').map((word) => ({ kind, word, sweep }) as const),
  );
  return { known: true, uses };
}

/** In one command the same text becomes the same words. */
function distinctWords(words: readonly ShellWord[]): readonly ShellWord[] {
  if (words.length < 3) return words;
  return [...new Map(words.map((word) => [word.text, word])).values()];
}

/** A pattern among words that are only printed, or handed on, shows the names of files. */
export function namesShown(words: readonly ShellWord[]): PathUse[] {
  return words.flatMap((word): PathUse[] => {
    const patterns = word.values?.filter((value) => value.isPattern && !value.sweep) ?? [];
    return patterns.length > 0 ? [{ kind: 'list', word: { ...word, values: patterns }, sweep: 'none' }] : [];
  });
}

function faultOfOperands(
  name: string,
  spec: ToolSpec,
  takesPattern: boolean,
  operands: readonly ShellWord[],
  patterns: readonly string[],
): string | undefined {
  if (spec.operands === 'none' && operands.length > 0) return `${operands[0]?.text} is not expected`;
  if (spec.most !== undefined && (operands.length > spec.most || operands.some((word) => !word.single)))
    return 'it writes to a further operand';
  if (takesPattern && operands[0] && !operands[0].single) return 'its pattern may be more than one word';
  if (name === 'read' && !operands.every((word) => isHarmlessName(literalOf(word) ?? 'PATH')))
    return 'it sets a variable';
  if (!spec.check) return undefined;
  const checked =
    spec.operands === 'pattern'
      ? takesPattern
        ? [operands[0] ? literalOf(operands[0]) : undefined]
        : patterns
      : operands.map(literalOf);
  return checked.map((text) => spec.check?.(text)).find((fault) => fault !== undefined);
}
