import type { ToolSpec } from './tool-spec.ts';
import { literalOf, mayBeOption, type ShellWord } from './types.ts';

export interface ReadArguments {
  readonly operands: readonly ShellWord[];
  /** Options that were given, without their values. */
  readonly flags: ReadonlySet<string>;
  /** Values of options that name a file to read. */
  readonly files: readonly ShellWord[];
  /** Values of options that take the place of the pattern. */
  readonly patterns: readonly string[];
  /** Options with their values; undefined is computed. */
  readonly values: readonly (readonly [name: string, value: string | undefined])[];
  /** How many operands stand before `--`; undefined without one. */
  readonly separator: number | undefined;
}

type Kind = 'plain' | 'value' | 'file' | 'optional';

/** The words after a tool's name, read by its list of options; a text says what is not in the list. */
export function readArguments(words: readonly ShellWord[], spec: ToolSpec): ReadArguments | string {
  const known = knownFlags(spec);
  const result = {
    operands: [] as ShellWord[],
    flags: new Set<string>(),
    files: [] as ShellWord[],
    patterns: [] as string[],
    values: [] as [string, string | undefined][],
    separator: undefined as number | undefined,
  };
  if (words.some((word) => word.environment))
    return 'it shows a variable of the environment, which may be a secret';
  for (let index = 0; index < words.length; index++) {
    const word = words[index];
    if (!word) break;
    const text = literalOf(word);
    if (text === '--') {
      result.separator = result.operands.length;
      result.operands.push(...words.slice(index + 1));
      break;
    }
    if (text === undefined && mayBeOption(word) && !spec.inert) return `${word.text} may become an option`;
    if (text === undefined || text === '-' || !text.startsWith('-')) {
      result.operands.push(word);
      continue;
    }
    const given = flagsOf(text, known, spec);
    if (!given && spec.inert && spec.operands === 'text') {
      result.operands.push(word);
      continue;
    }
    if (!given) return `the option ${text} is not known to change nothing`;
    for (const { name, kind, value } of given) {
      result.flags.add(name);
      if (kind === 'plain' || (kind === 'optional' && value === undefined)) continue;
      const valueWord: ShellWord | undefined =
        value === undefined ? words[++index] : { text: value, values: [literalOfText(value)], single: true };
      const fault = keepValue(name, kind, valueWord, spec, result);
      if (fault) return fault;
    }
  }
  const required = spec.requires?.split(' ');
  if (required && !required.some((flag) => result.flags.has(flag)))
    return `without ${required.join(' or ')} it does more`;
  return result;
}

function keepValue(
  name: string,
  kind: Kind,
  word: ShellWord | undefined,
  spec: ToolSpec,
  result: { files: ShellWord[]; patterns: string[]; values: [string, string | undefined][] },
): string | undefined {
  const text = literalOf(word);
  result.values.push([name, text]);
  if (!word?.single || word.environment) return `the option ${name} has a value that is not known`;
  const wanted = spec.values?.[name];
  if (wanted && (text === undefined || !wanted.test(text)))
    return `the option ${name} has a value that is not known`;
  if (kind === 'file') result.files.push(word);
  else if (spec.patternFlags?.split(' ').includes(name)) {
    if (text === undefined && spec.check) return `the option ${name} has a value that is computed`;
    result.patterns.push(text ?? '');
  }
  return undefined;
}

interface GivenFlag {
  name: string;
  kind: Kind;
  value?: string;
}

function flagsOf(text: string, known: ReadonlyMap<string, Kind>, spec: ToolSpec): GivenFlag[] | undefined {
  if (spec.numbers && /^-\d+$/.test(text)) return [{ name: text, kind: 'plain' }];
  const equals = text.startsWith('--') ? text.indexOf('=') : -1;
  if (equals > 0) {
    const name = text.slice(0, equals);
    const kind = known.get(name);
    return kind && kind !== 'plain' ? [{ name, kind, value: text.slice(equals + 1) }] : undefined;
  }
  const whole = known.get(text);
  if (whole) return [{ name: text, kind: whole }];
  if (matchesPattern(text, spec)) return [{ name: text, kind: 'plain' }];
  return text.startsWith('--') ? undefined : joinedFlags(text, known);
}

/** `-la`, `-n5`, `-rn5`: letters, of which the last may take what is left as its value. */
function joinedFlags(text: string, known: ReadonlyMap<string, Kind>): GivenFlag[] | undefined {
  const given: GivenFlag[] = [];
  for (let at = 1; at < text.length; at++) {
    const name = `-${text[at]}`;
    const kind = known.get(name);
    if (!kind) return undefined;
    if (kind === 'plain') {
      given.push({ name, kind });
      continue;
    }
    const rest = text.slice(at + 1);
    given.push(rest === '' ? { name, kind } : { name, kind, value: rest });
    return given;
  }
  return given;
}

const cache = new WeakMap<ToolSpec, Map<string, Kind>>();

function knownFlags(spec: ToolSpec): ReadonlyMap<string, Kind> {
  const before = cache.get(spec);
  if (before) return before;
  const kinds: Record<string, Kind> = { ':': 'value', '<': 'file', '?': 'optional' };
  const known = new Map<string, Kind>();
  for (const flag of spec.flags.split(' ').filter((one) => one !== '' && !one.includes('['))) {
    const kind = kinds[flag.at(-1) ?? ''];
    known.set(kind ? flag.slice(0, -1) : flag, kind ?? 'plain');
  }
  cache.set(spec, known);
  return known;
}

function matchesPattern(text: string, spec: ToolSpec): boolean {
  if (!spec.flags.includes('[')) return false;
  return spec.flags.split(' ').some((flag) => flag.includes('[') && new RegExp(`^${flag}$`).test(text));
}

function literalOfText(text: string) {
  return { text, glob: text.replace(/[\\*?[\]]/g, '\\$&'), isPattern: false };
}
