import type { ProgramSpec } from './tool-spec.ts';

export type OptionKind = 'plain' | 'value' | 'number' | 'file' | 'output' | 'optional' | 'pair';

export interface GivenFlag {
  readonly name: string;
  readonly kind: OptionKind;
  /** Joined to the option; otherwise an option that takes a value takes the next word. */
  readonly value?: string;
}

export function looksLikeOption(text: string): boolean {
  return text !== '-' && text.startsWith('-');
}

/** The options in one word, as the program itself reads it; undefined when one of them is not in its list. */
export function givenFlags(text: string, spec: ProgramSpec): readonly GivenFlag[] | undefined {
  if (spec.numbers && /^-\d+$/.test(text)) return [{ name: text, kind: 'plain' }];
  const known = knownFlags(spec);
  const equals = text.startsWith('--') ? text.indexOf('=') : -1;
  if (equals > 0) {
    const name = fullName(text.slice(0, equals), known, spec);
    const kind = known.get(name);
    const takesJoined = kind !== undefined && kind !== 'plain' && kind !== 'pair';
    return takesJoined ? [{ name, kind, value: text.slice(equals + 1) }] : undefined;
  }
  const name = fullName(text, known, spec);
  const whole = known.get(name);
  if (whole) return [{ name, kind: whole }];
  return text.startsWith('--') ? undefined : readLetters(text, known, spec.letters ?? 'getopt');
}

function fullName(
  text: string,
  known: ReadonlyMap<string, OptionKind>,
  { abbreviates }: ProgramSpec,
): string {
  if (!abbreviates || !/^--./.test(text) || known.has(text)) return text;
  const [full, ...others] = [...known.keys()].filter((name) => name.startsWith(text));
  return full !== undefined && others.length === 0 ? full : text;
}

function readLetters(
  text: string,
  known: ReadonlyMap<string, OptionKind>,
  letters: NonNullable<ProgramSpec['letters']>,
): readonly GivenFlag[] | undefined {
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
    if (letters === 'leading' && at > 1) return undefined;
    if (letters === 'separate' && rest !== '') return undefined;
    // Some programs drop the sign, which makes it a different path.
    if ((kind === 'file' || kind === 'output') && rest.startsWith('=')) return undefined;
    given.push(rest === '' ? { name, kind } : { name, kind, value: rest });
    return given;
  }
  return given;
}

const kinds: Readonly<Record<string, OptionKind>> = {
  ...{ ':': 'value', '#': 'number', '<': 'file', '>': 'output', '?': 'optional', '&': 'pair' },
};
const cache = new WeakMap<ProgramSpec, Map<string, OptionKind>>();

/** The options of a tool by name. */
export function knownFlags(spec: ProgramSpec): ReadonlyMap<string, OptionKind> {
  const before = cache.get(spec);
  if (before) return before;
  const known = new Map<string, OptionKind>();
  for (const flag of spec.flags.split(' ').filter((one) => one !== '')) {
    const kind = kinds[flag.at(-1) ?? ''];
    known.set(kind ? flag.slice(0, -1) : flag, kind ?? 'plain');
  }
  cache.set(spec, known);
  return known;
}
