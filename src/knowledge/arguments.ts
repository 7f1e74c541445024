import { quote } from '../lib/shell-quote.ts';
import { type ShellContext, shellContexts } from './shell-context.ts';
import { findTextPlace, type TextPlaces } from './text-places.ts';

/** The arguments of a skill or a command, as a whole and as words. Quotes keep spaces together, as in a shell. */
export interface GivenArguments {
  text: string;
  words: readonly string[];
}

export function splitArguments(given: string): GivenArguments {
  const text = given.trim();
  const words = [...text.matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+))(?=\s|$)|(\S+)/gs)].map(
    ([, double, single, plain, broken]) =>
      double?.replace(/\\(.)/gs, '$1') ?? single ?? plain ?? broken ?? '',
  );
  return { text, words };
}

/**
 * A placeholder for an argument: its index, or all of them. `$5` may also be a price, or awk's: it stays if there is no
 * fifth argument.
 */
interface Placeholder {
  index?: number;
  /** The name of a place, whose value this is. */
  place?: string;
  value?: string;
  written: string;
  /** Where in the text. */
  at: number;
  mayStay: boolean;
}

/**
 * `$ARGUMENTS`, `$ARGUMENTS[0]`, `$0`, the names that the file gives, and places such as `${CLAUDE_PLUGIN_ROOT}`. In one
 * pass: inserted text is not read again.
 */
function replacePlaceholders(
  text: string,
  names: readonly string[],
  places: TextPlaces,
  replace: (placeholder: Placeholder) => string,
): string {
  return text.replace(
    /\\(\$(?:ARGUMENTS\b|\d))|\$ARGUMENTS\[(\d{1,3})\]|\$(\d{1,3})(?!\d|[.,]\d)|\$([A-Za-z_]\w*)|\$\{(\w+)\}/g,
    (written, literal: Group, indexed: Group, short: Group, name: Group, place: Group, at: number) => {
      if (literal !== undefined) return literal;
      if (place !== undefined) {
        const value = findTextPlace(place, places);
        return value === undefined ? written : replace({ place, value, written, at, mayStay: false });
      }
      if (indexed !== undefined) return replace({ index: Number(indexed), written, at, mayStay: false });
      if (short !== undefined) return replace({ index: Number(short), written, at, mayStay: true });
      if (name === 'ARGUMENTS') return replace({ written, at, mayStay: false });
      const index = names.indexOf(name ?? '');
      return index < 0 ? written : replace({ index, written, at, mayStay: false });
    },
  );
}

type Group = string | undefined;

function findArgument(placeholder: Placeholder, { text, words }: GivenArguments): string | undefined {
  const { value, index, mayStay } = placeholder;
  if (value !== undefined) return value;
  return index === undefined ? text : (words[index] ?? (mayStay ? undefined : ''));
}

/** Text with its arguments inserted, and whether it used any. */
export function fillText(
  text: string,
  names: readonly string[],
  given: GivenArguments,
  places: TextPlaces = {},
): { text: string; took: boolean } {
  let took = false;
  const filled = replacePlaceholders(text, names, places, (placeholder) => {
    const value = findArgument(placeholder, given);
    took ||= value !== undefined && placeholder.place === undefined;
    return value ?? placeholder.written;
  });
  return { text: filled, took };
}

/** Contains nothing that has a meaning to a shell, quoted or not. */
const plain = /^[\w ./:@,+=%-]*$/;
const plainWord = /^[\w./:@,+=%-]+$/;

export interface FilledCommand {
  command: string;
  took: boolean;
  variables: Record<string, string>;
  /** Why it must not run: an argument is in a place where a shell would evaluate it again. */
  problem?: string;
}

/**
 * A command with its arguments inserted. A plain argument becomes part of its text. Any other is passed as the value of
 * a variable that is placed there in the right quotes: whatever it contains, it arrives unchanged and as one word, and
 * what is judged is what runs.
 */
export function fillCommand(
  command: string,
  names: readonly string[],
  given: GivenArguments,
  places: TextPlaces = {},
): FilledCommand {
  let took = false;
  let problem: string | undefined;
  let contexts: ShellContext[] | undefined;
  const variables: Record<string, string> = {};
  const filled = replacePlaceholders(command, names, places, (placeholder) => {
    const value = findArgument(placeholder, given);
    if (value === undefined) {
      // Left to the shell, `$0` is the shell's own name; the others are empty there, or those of a function.
      contexts ??= shellContexts(command);
      const isExpanded = placeholder.index === 0 && expanding.includes(contexts[placeholder.at] ?? 'unsafe');
      return isExpanded ? '' : placeholder.written;
    }
    took ||= placeholder.place === undefined;
    if (placeholder.place === undefined && plain.test(value)) return value;
    contexts ??= shellContexts(command);
    const around = contexts[placeholder.at] ?? 'unsafe';
    const literal = placeholder.place === undefined ? undefined : quotePlace(value, around);
    if (literal !== undefined) return literal;
    if (around === 'unsafe')
      problem ??= `${placeholder.written} is used where a shell would interpret the argument`;
    const name = nameVariable(placeholder);
    variables[name] = value.replaceAll('\0', '');
    return quotedFor[around](`\${${name}}`);
  });
  return { command: filled, took, variables, problem };
}

/** A directory is one word. As text where that is possible, so that rules can name it. */
function quotePlace(value: string, around: ShellContext): string | undefined {
  if (plainWord.test(value)) return value;
  if (around === 'bare') return quote(value);
  return plain.test(value) && around !== 'unsafe' ? value : undefined;
}

function nameVariable({ place, index }: Placeholder): string {
  return place ?? (index === undefined ? 'ARGUMENTS' : `ARGUMENTS_${index}`);
}

const expanding: readonly ShellContext[] = ['bare', 'double', 'here'];

const quotedFor: Readonly<Record<ShellContext, (variable: string) => string>> = {
  bare: (variable) => `"${variable}"`,
  double: (variable) => variable,
  here: (variable) => variable,
  single: (variable) => `'"${variable}"'`,
  ansi: (variable) => `'"${variable}"$'`,
  unsafe: (variable) => variable,
};
