import { type ShellContext, shellContexts } from './shell-context.ts';

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
  written: string;
  /** Where in the text. */
  at: number;
  mayStay: boolean;
}

/**
 * `$ARGUMENTS`, `$ARGUMENTS[0]`, `$0`, and the names that the file gives. In one pass: inserted text is not read again.
 */
function replacePlaceholders(
  text: string,
  names: readonly string[],
  replace: (placeholder: Placeholder) => string,
): string {
  return text.replace(
    /\\(\$(?:ARGUMENTS\b|\d))|\$ARGUMENTS\[(\d{1,3})\]|\$(\d{1,3})(?!\d|[.,]\d)|\$([A-Za-z_]\w*)/g,
    (written, literal: Group, indexed: Group, short: Group, name: Group, at: number) => {
      if (literal !== undefined) return literal;
      if (indexed !== undefined) return replace({ index: Number(indexed), written, at, mayStay: false });
      if (short !== undefined) return replace({ index: Number(short), written, at, mayStay: true });
      if (name === 'ARGUMENTS') return replace({ written, at, mayStay: false });
      const index = names.indexOf(name ?? '');
      return index < 0 ? written : replace({ index, written, at, mayStay: false });
    },
  );
}

type Group = string | undefined;

function findArgument({ index, mayStay }: Placeholder, { text, words }: GivenArguments): string | undefined {
  return index === undefined ? text : (words[index] ?? (mayStay ? undefined : ''));
}

/** Text with its arguments inserted, and whether it used any. */
export function fillText(
  text: string,
  names: readonly string[],
  given: GivenArguments,
): { text: string; took: boolean } {
  let took = false;
  const filled = replacePlaceholders(text, names, (placeholder) => {
    const value = findArgument(placeholder, given);
    took ||= value !== undefined;
    return value ?? placeholder.written;
  });
  return { text: filled, took };
}

/** Contains nothing that has a meaning to a shell, quoted or not. */
const plain = /^[\w ./:@,+=%-]*$/;

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
export function fillCommand(command: string, names: readonly string[], given: GivenArguments): FilledCommand {
  let took = false;
  let problem: string | undefined;
  let contexts: ShellContext[] | undefined;
  const variables: Record<string, string> = {};
  const filled = replacePlaceholders(command, names, (placeholder) => {
    const value = findArgument(placeholder, given);
    if (value === undefined) {
      // Left to the shell, `$0` is the shell's own name; the others are empty there, or those of a function.
      contexts ??= shellContexts(command);
      const isExpanded = placeholder.index === 0 && expanding.includes(contexts[placeholder.at] ?? 'unsafe');
      return isExpanded ? '' : placeholder.written;
    }
    took = true;
    if (plain.test(value)) return value;
    contexts ??= shellContexts(command);
    const around = contexts[placeholder.at] ?? 'unsafe';
    if (around === 'unsafe')
      problem ??= `${placeholder.written} is in a place where a shell would interpret the argument`;
    const name = placeholder.index === undefined ? 'ARGUMENTS' : `ARGUMENTS_${placeholder.index}`;
    variables[name] = value.replaceAll('\0', '');
    return quotedFor[around](`\${${name}}`);
  });
  return { command: filled, took, variables, ...(problem === undefined ? {} : { problem }) };
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
