/** What was given with a skill or a command, whole and in words. Quotes keep blanks together, as in a shell. */
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

/** Where an argument goes: its index, or all of them. `$5` may also be a price, or awk's: without a fifth it stays. */
interface Placeholder {
  index?: number;
  written: string;
  mayStay: boolean;
}

/** `$ARGUMENTS`, `$ARGUMENTS[0]`, `$0`, and the names that the file gives. In one pass: what was put in is not read again. */
function replacePlaceholders(
  text: string,
  names: readonly string[],
  replace: (placeholder: Placeholder) => string,
): string {
  return text.replace(
    /\\(\$(?:ARGUMENTS\b|\d))|\$ARGUMENTS\[(\d{1,3})\]|\$(\d{1,3})(?!\d|[.,]\d)|\$([A-Za-z_]\w*)/g,
    (written, literal?: string, indexed?: string, short?: string, name?: string) => {
      if (literal !== undefined) return literal;
      if (indexed !== undefined) return replace({ index: Number(indexed), written, mayStay: false });
      if (short !== undefined) return replace({ index: Number(short), written, mayStay: true });
      if (name === 'ARGUMENTS') return replace({ written, mayStay: false });
      const index = names.indexOf(name ?? '');
      return index < 0 ? written : replace({ index, written, mayStay: false });
    },
  );
}

function argumentAt({ index, mayStay }: Placeholder, { text, words }: GivenArguments): string | undefined {
  return index === undefined ? text : (words[index] ?? (mayStay ? undefined : ''));
}

/** Arguments put into a text, and whether anything in it took one. */
export function fillText(
  text: string,
  names: readonly string[],
  given: GivenArguments,
): { text: string; took: boolean } {
  let took = false;
  const filled = replacePlaceholders(text, names, (placeholder) => {
    const value = argumentAt(placeholder, given);
    took ||= value !== undefined;
    return value ?? placeholder.written;
  });
  return { text: filled, took };
}

/** Nothing in it means anything to a shell, quoted or not. */
const plain = /^[\w ./:@,+=%-]*$/;

/**
 * Arguments put into a command. A plain one becomes part of its text. Any other stays out of it, as the value of a
 * variable: whatever it holds, a shell takes a variable's value as data, and what is judged is what runs.
 */
export function fillCommand(
  command: string,
  names: readonly string[],
  given: GivenArguments,
): { command: string; took: boolean; variables: Record<string, string> } {
  let took = false;
  const variables: Record<string, string> = {};
  const filled = replacePlaceholders(command, names, (placeholder) => {
    const value = argumentAt(placeholder, given);
    if (value === undefined) return placeholder.written;
    took = true;
    if (plain.test(value)) return value;
    const name = placeholder.index === undefined ? 'ARGUMENTS' : `ARGUMENTS_${placeholder.index}`;
    variables[name] = value.replaceAll('\0', '');
    return `\${${name}}`;
  });
  return { command: filled, took, variables };
}
