import type { Told } from '../../lib/told.ts';
import { literalWord, mayBeOption, readLiteral, type ShellWord, tellText } from '../grammar/types.ts';
import { type GivenFlag, givenFlags, looksLikeOption } from './option-words.ts';
import type { ProgramSpec } from './tool-spec.ts';

export interface ReadArguments {
  readonly operands: readonly ShellWord[];
  /** Options that were given, without their values. */
  readonly flags: ReadonlySet<string>;
  /** Values of options that name a file to read. */
  readonly files: readonly ShellWord[];
  /** Values of options that name a file to write. */
  readonly outputs: readonly ShellWord[];
  /** Values of options that take the place of the pattern. */
  readonly patterns: readonly Told<string>[];
  /** Options with their values. */
  readonly values: readonly (readonly [name: string, value: Told<string>, word: ShellWord | undefined])[];
  /** Shell patterns that are options as they stand, and become names where there are any that fit. */
  readonly kept: readonly ShellWord[];
  /** Number of operands before `--`; undefined without one. */
  readonly separator: number | undefined;
}

type Reading = { -readonly [Key in keyof ReadArguments]: ReadArguments[Key] } & {
  operands: ShellWord[];
  kept: ShellWord[];
  flags: Set<string>;
  files: ShellWord[];
  outputs: ShellWord[];
  patterns: Told<string>[];
  values: [string, Told<string>, ShellWord | undefined][];
};

/** The words after a tool's name, read by its list of options; a string says what is not in the list. */
export function readArguments(words: readonly ShellWord[], spec: ProgramSpec): ReadArguments | string {
  const result: Reading = {
    ...{ operands: [], flags: new Set(), files: [], outputs: [], patterns: [], values: [] },
    ...{ kept: [], separator: undefined },
  };
  if (!spec.allowed && words.some((word) => word.environment))
    return 'it shows an environment variable, which may be a secret';
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (!word) break;
    const text = readLiteral(word);
    if (text === '--' && spec.ordered) return 'it may read -- as an ordinary word';
    if (text === '--') {
      result.separator = result.operands.length;
      result.operands.push(...words.slice(index + 1));
      break;
    }
    const kept = text === undefined && spec.inert === 'looks' ? readKept(word) : [];
    if (kept.length > 0) {
      result.kept.push(word);
      const fault = kept
        .map((one) => readOption(one, [], spec, result))
        .find((read) => typeof read === 'string');
      if (fault !== undefined) return fault;
      continue;
    }
    if (text === undefined && mayBeOption(word) && !isHarmlessAsOption(word, spec))
      return word.single
        ? `${word.text} may become an option`
        : `${word.text} outside double quotes may become several words, including an option`;
    if (text === undefined || !looksLikeOption(text)) {
      result.operands.push(word);
      continue;
    }
    if (spec.ordered && result.operands.length > 0) return `${text} after an operand is not an option`;
    if (spec.inert && spec.operands === 'text' && !givenFlags(text, spec)) {
      result.operands.push(word);
      continue;
    }
    const taken = readOption(text, words.slice(index + 1), spec, result);
    if (typeof taken === 'string') return taken;
    index += taken;
  }
  const required = spec.requires?.split(' ');
  if (required && !required.some((flag) => result.flags.has(flag)))
    return `without ${required.join(' or ')} it does more`;
  return result;
}

/** The options in one word, with their values; the number of words that those take after it. */
function readOption(
  text: string,
  rest: readonly ShellWord[],
  spec: ProgramSpec,
  result: Reading,
): number | string {
  const given = givenFlags(text, spec);
  if (!given) return `the option ${text} may change files or run programs`;
  let taken = 0;
  for (const flag of given) {
    result.flags.add(flag.name);
    if (takesNoWord(flag)) continue;
    if (flag.kind === 'pair') {
      const pair = rest.slice(taken, taken + 2);
      if (pair.length < 2 || !pair.every((one) => one.single)) return unknownValue(flag.name);
      taken += 2;
      continue;
    }
    const isNext = flag.value === undefined;
    const value = isNext ? rest[taken++] : literalWord(flag.value);
    if (isNext && isDoubtful(flag, value, spec, result)) return unknownValue(flag.name);
    const fault = keepValue(flag, value, spec, result);
    if (fault) return fault;
  }
  return taken;
}

/** Without a name that fits it, a pattern stays as it is: `--include=*.ts` is an option. */
function readKept({ values = [] }: ShellWord): readonly string[] {
  const texts = values.filter(({ isPattern, sweep }) => isPattern && !sweep).map(({ text }) => text);
  return texts.length === values.length && texts.every(looksLikeOption) ? texts : [];
}

/** A shell pattern is checked before the command runs; nothing is known about computed text. */
function isHarmlessAsOption(word: ShellWord, { inert, allowed }: ProgramSpec): boolean {
  // The beginning of a single word is in the text.
  if (allowed && word.single && /^"?[\w./~]/.test(word.text)) return true;
  if (inert !== 'looks') return inert === true;
  return word.values?.every(({ isPattern, text }) => isPattern && !looksLikeOption(text)) === true;
}

function takesNoWord({ kind, value }: GivenFlag): boolean {
  return kind === 'plain' || (kind === 'optional' && value === undefined);
}

/**
 * If a version of the tool takes no value here the word would be an option, and if one reads no options after an operand it
 * would be a file.
 */
function isDoubtful(
  { kind, name }: GivenFlag,
  word: ShellWord | undefined,
  spec: ProgramSpec,
  { operands }: ReadArguments,
): boolean {
  // A computed revision may be missing, and then the option takes the next word.
  if (word?.revisions && (word.values || word.isOperand)) return true;
  if (kind === 'number' || kind === 'file' || kind === 'output' || spec.values?.[name] || !word) return false;
  const text = readLiteral(word);
  if (spec.allowed) return text !== undefined && looksLikeOption(text);
  const mayBeFile =
    operands.length > 0 && spec.operands !== 'pattern' && (spec.letters ?? 'getopt') === 'getopt';
  if (mayBeFile && (text === undefined || /^[/~]|\.\./.test(text))) return true;
  if (spec.inert) return false;
  return text === undefined ? mayBeOption(word) : looksLikeOption(text);
}

const unknownValue = (name: string) => `the option ${name} may do more with this value than read`;

function keepValue(
  { name, kind }: GivenFlag,
  word: ShellWord | undefined,
  spec: ProgramSpec,
  result: Reading,
): string | undefined {
  const text = readLiteral(word);
  result.values.push([name, tellText(word), word]);
  if (!word?.single || (word.environment && !spec.allowed)) return unknownValue(name);
  const wanted = spec.values?.[name] ?? (kind === 'number' ? aNumber : undefined);
  if (wanted && (text === undefined || !wanted.test(text))) return unknownValue(name);
  if (kind === 'file') result.files.push(word);
  else if (kind === 'output') result.outputs.push(word);
  else if (spec.patternFlags?.split(' ').includes(name)) {
    if (text === undefined && spec.check) return `the option ${name} has a computed value`;
    result.patterns.push(tellText(word));
  }
  return undefined;
}

const aNumber = /^[+-]?(?:0x[0-9a-f]+|\d+(?:\.\d+)?[a-z]{0,3})$/i;
