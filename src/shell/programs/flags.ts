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
  /** Number of operands before `--`; undefined without one. */
  readonly separator: number | undefined;
}

type Reading = { -readonly [Key in keyof ReadArguments]: ReadArguments[Key] } & {
  operands: ShellWord[];
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
    separator: undefined,
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
    if (text === undefined && mayBeOption(word) && !isHarmlessAsOption(word, spec))
      return word.single
        ? `${word.text} may become an option`
        : `${word.text} outside of double quotes may become several words, an option among them`;
    if (text === undefined || !looksLikeOption(text)) {
      result.operands.push(word);
      continue;
    }
    if (spec.ordered && result.operands.length > 0) return `${text} after an operand is not an option`;
    const given = givenFlags(text, spec);
    if (!given && spec.inert && spec.operands === 'text') {
      result.operands.push(word);
      continue;
    }
    if (!given) return `the option ${text} may change files or run programs`;
    for (const flag of given) {
      result.flags.add(flag.name);
      if (takesNoWord(flag)) continue;
      if (flag.kind === 'pair') {
        const pair = words.slice(index + 1, index + 3);
        if (pair.length < 2 || !pair.every((one) => one.single)) return unknownValue(flag.name);
        index += 2;
        continue;
      }
      const isNext = flag.value === undefined;
      if (isNext && isDoubtful(flag, words[++index], spec, result)) return unknownValue(flag.name);
      const fault = keepValue(flag, isNext ? words[index] : literalWord(flag.value), spec, result);
      if (fault) return fault;
    }
  }
  const required = spec.requires?.split(' ');
  if (required && !required.some((flag) => result.flags.has(flag)))
    return `without ${required.join(' or ')} it does more`;
  return result;
}

/** A shell pattern is checked before the command runs; nothing is known about computed text. */
function isHarmlessAsOption(word: ShellWord, { inert, allowed }: ProgramSpec): boolean {
  // The beginning of a single word is in the text.
  if (allowed && word.single && /^"?[\w./~]/.test(word.text)) return true;
  return inert === 'looks' ? word.values?.every((value) => value.isPattern) === true : inert === true;
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
