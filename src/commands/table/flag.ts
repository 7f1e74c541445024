import { isRecord } from '../../lib/fields/field-values.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { parseDuration } from '../../lib/text/duration.ts';
import { parseJson } from '../../settings/json.ts';
import { splitToolList } from '../../settings/rules.ts';

/** A flag's raw value: nothing, a string, or one string for each time it was given. */
export type FlagValue = boolean | string | string[];

/** The definition of one flag. Its long name is its key in the table, in kebab case. */
export interface Flag<Value = unknown> extends FlagFacts {
  about: string;
  /** Its argument: `<name>`, or `[name]` if optional. */
  placeholder?: string;
  choices?: readonly string[];
  usual?: Value;
  /** Given several times, the values are collected. */
  isRepeated?: true;
  /** Written with `--no-`, and on by default. */
  isNegated?: true;
  /** Describes its `--no-` form. Without either it depends. */
  opposite?: string;
  read(given: FlagValue, name: string): Result<Value>;
}

export interface FlagFacts {
  /** `-p` */
  short?: string;
  /** A second long name. */
  also?: string;
  /** Not in the help: for programs that drive Cadre. */
  isHidden?: true;
  /** What completions offer as its value. */
  completes?: ValueKind;
}

/** Values that exist on this machine, looked up when they are completed. */
export type ValueKind =
  | 'agent'
  | 'board-item'
  | 'directory'
  | 'file'
  | 'member'
  | 'model'
  | 'page'
  | 'proposal'
  | 'provider'
  | 'run'
  | 'record'
  | 'server'
  | 'session'
  | 'task'
  | 'team'
  | 'workflow'
  | 'worktree';

export interface FlagTable {
  readonly [key: string]: Flag;
}

type Value<Entry> = Entry extends { read(given: FlagValue, name: string): Result<infer Read> } ? Read : never;

type UsualKeys<Table> = {
  [Key in keyof Table]: Table[Key] extends { usual: unknown } ? Key : never;
}[keyof Table];

/** The values of the flags in a table: absent if a flag has no default and was not given. */
export type FlagValues<Table> = { -readonly [Key in UsualKeys<Table>]: Value<Table[Key]> } & {
  -readonly [Key in Exclude<keyof Table, UsualKeys<Table>>]?: Value<Table[Key]>;
};

/** Reads the command line's values. The first invalid value is the problem. */
export function readFlags<Table extends FlagTable>(
  table: Table,
  given: Readonly<Record<string, FlagValue | undefined>>,
): Result<FlagValues<Table>> {
  const values: Record<string, unknown> = {};
  for (const [key, flag] of Object.entries(table)) {
    const value = given[key] ?? flag.usual;
    if (value === undefined) continue;
    const read = given[key] === undefined ? ok(value) : flag.read(given[key], longName(key, flag));
    if (!read.ok) return read;
    values[key] = read.value;
  }
  return ok(values as FlagValues<Table>);
}

/** `--max-turns` for `maxTurns`. */
export function longName(key: string, { isNegated }: Pick<Flag, 'isNegated'> = {}): string {
  const words = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `--${isNegated ? 'no-' : ''}${words}`;
}

/** All names of a flag, as people type them. */
export function listNames(key: string, flag: Flag): string[] {
  const opposite = flag.opposite !== undefined ? oppositeName(key) : undefined;
  return [flag.short, flag.also, longName(key, flag), opposite].filter((name) => name !== undefined);
}

export function oppositeName(key: string): string {
  return longName(key, { isNegated: true });
}

/** The words that give a flag these values again. */
export function writeFlag(key: string, flag: Flag, value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => (one === true ? [longName(key, flag)] : [longName(key, flag), String(one)]));
}

export function toggle(about: string, facts: FlagFacts = {}): Flag<boolean> {
  return { ...facts, about, read: (given) => ok(given === true) };
}

/** `--…` and `--no-…`; without either it is detected. */
export function either(about: string, opposite: string): Flag<boolean> {
  return { about, opposite, read: (given) => ok(given === true) };
}

/** On unless it is given: `--no-…`. */
export function negated(about: string): Flag<boolean> & { usual: boolean } {
  return { about, usual: true, isNegated: true, read: (given) => ok(given === true) };
}

export function text(placeholder: string, about: string, facts: FlagFacts = {}): Flag<string> {
  return { ...facts, about, placeholder: `<${placeholder}>`, read: (given) => ok(String(given)) };
}

/** A flag that also means something without a value. */
export function optionalText(placeholder: string, about: string, facts: FlagFacts = {}): Flag<string | true> {
  const read = (given: FlagValue): Result<string | true> => ok(given === true ? true : String(given));
  return { ...facts, about, placeholder: `[${placeholder}]`, read };
}

export function repeated(placeholder: string, about: string, facts: FlagFacts = {}): Flag<string[]> {
  const read = (given: FlagValue): Result<string[]> => ok(Array.isArray(given) ? given : [String(given)]);
  return {
    ...facts,
    about: `${about} (repeatable)`,
    placeholder: `<${placeholder}>`,
    isRepeated: true,
    read,
  };
}

/** Names of tools or rules, separated by commas or spaces. */
export function toolList(placeholder: string, about: string, facts: FlagFacts = {}): Flag<string[]> {
  const read = (given: FlagValue): Result<string[]> =>
    ok([given].flat().flatMap((one) => splitToolList(`${one}`)));
  return { ...facts, about, placeholder: `<${placeholder}>`, isRepeated: true, read };
}

export function choice<const Words extends readonly string[]>(
  placeholder: string,
  choices: Words,
  about: string,
  facts: FlagFacts = {},
): Flag<Words[number]> {
  const read = (given: FlagValue, name: string): Result<Words[number]> => {
    const chosen = choices.find((word) => word === given);
    return chosen === undefined
      ? usage(`${name} ${given}: expected one of ${choices.join(', ')}.`)
      : ok(chosen);
  };
  return { ...facts, about, placeholder: `<${placeholder}>`, choices, read };
}

/** A choice whose first word is the default. */
export function usualChoice<const Words extends readonly [string, ...string[]]>(
  placeholder: string,
  choices: Words,
  about: string,
  facts: FlagFacts = {},
): Flag<Words[number]> & { usual: Words[number] } {
  return { ...choice(placeholder, choices, about, facts), usual: choices[0] };
}

export function count(placeholder: string, about: string, least = 1): Flag<number> {
  const read = (given: FlagValue, name: string): Result<number> => {
    const number = given === '' ? Number.NaN : Number(given);
    return Number.isSafeInteger(number) && number >= least
      ? ok(number)
      : usage(`${name} ${given}: expected a whole number, ${least} or more.`);
  };
  return { about, placeholder: `<${placeholder}>`, read };
}

export function dollars(about: string): Flag<number> {
  const read = (given: FlagValue, name: string): Result<number> => {
    const money = Number(given);
    return Number.isFinite(money) && money > 0
      ? ok(money)
      : usage(`${name} ${given}: expected dollars, such as 2.50.`);
  };
  return { about, placeholder: '<dollars>', read };
}

export function duration(about: string): Flag<string> {
  const read = (given: FlagValue, name: string): Result<string> =>
    parseDuration(String(given)) === undefined
      ? usage(`${name} ${given}: expected a duration, such as 90s, 30m or 6h.`)
      : ok(String(given));
  return { about, placeholder: '<duration>', read };
}

/** A JSON object, with an example for the error message. */
export function jsonObject(placeholder: string, about: string, hint: string): Flag<Record<string, unknown>> {
  const read = (given: FlagValue, name: string): Result<Record<string, unknown>> => {
    const json = parseJson(String(given));
    if (!json.ok) {
      const { line, column, expected } = json.problem;
      const at = line === 1 ? `column ${column}` : `line ${line}, column ${column}`;
      return usage(`${name}: not valid JSON at ${at}: expected ${expected}.`, hint);
    }
    return isRecord(json.value) ? ok(json.value) : usage(`${name}: expected a JSON object.`, hint);
  };
  return { about, placeholder: `<${placeholder}>`, read };
}
