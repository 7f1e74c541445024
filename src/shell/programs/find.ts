import {
  buildFoundName,
  everything,
  mayBeOption,
  placeBelow,
  readLiteral,
  type ShellWord,
  type Sweep,
  type Value,
} from '../grammar/types.ts';
import { findPrimaries } from '../tables/find.data.ts';
import { aDate } from '../tables/value-forms.ts';
import { passesGit, printedNames } from './find-names.ts';

export interface ExecutedWords {
  readonly words: readonly ShellWord[];
  /** It runs in the directory of each found file. */
  readonly isElsewhere: boolean;
  /** It gets many names at once. */
  readonly isMany: boolean;
}

export interface FindParts {
  /** Its starting directories. */
  readonly starts: readonly ShellWord[];
  /** Files whose times or numbers it compares with. */
  readonly compared: readonly ShellWord[];
  /** The commands after `-exec` and similar actions. */
  readonly executed: readonly ExecutedWords[];
  /** The names it prints, or passes to the commands it runs. */
  readonly sweep: Sweep;
  /** Why an expression is not known to change nothing. */
  readonly fault?: string;
}

export const executing: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);

export function splitFind(words: readonly ShellWord[]): FindParts {
  const starts: ShellWord[] = [];
  const executed: ExecutedWords[] = [];
  const compared: ShellWord[] = [];
  let fault: string | undefined;
  let at = 1;
  for (; at < words.length; at++) {
    const word = words[at];
    if (!word || mayBeOption(word) || /^[(!,]/.test(readLiteral(word) ?? '')) break;
    starts.push(word);
  }
  const expression = words.slice(at).map(readLiteral);
  const only = printedNames(expression);
  for (; at < words.length; at++) {
    const text = readLiteral(words[at]);
    if (text !== undefined && executing.has(text)) {
      const end = findCommandEnd(words, at + 1);
      const [isElsewhere, isMany] = [text.endsWith('dir'), readLiteral(words[end]) === '+'];
      executed.push({ words: words.slice(at + 1, end), isElsewhere, isMany });
      if (end >= words.length) fault ??= `${text} has no end`;
      at = end;
      continue;
    }
    const count = text === undefined ? undefined : findPrimaries.get(text);
    if (count === undefined) {
      fault ??= `find with ${words[at]?.text} may change files or run programs`;
      continue;
    }
    const values = words.slice(at + 1, at + 1 + count);
    if (/^-(?:[ac]?newer|samefile)$/.test(text ?? '')) compared.push(...values);
    if (values.some((value) => !isDateOf(text ?? '', value)))
      fault ??= `the value of ${text} may be more than a date`;
    // More than one word would shift all that follow.
    if (values.length < count || values.some((value) => !value.single))
      fault ??= `the value of ${text} is missing or computed`;
    at += count;
  }
  const sweep = {
    ...{ ...everything, ...(only ? { only } : {}) },
    ...(passesGit(expression) ? { passesGit: true as const } : {}),
  };
  return { starts, compared, executed, sweep, ...(fault === undefined ? {} : { fault }) };
}

/** What `{}` becomes: a start, or a name below it. Computed, where a start is. */
export function foundWord({ starts, sweep }: FindParts): ShellWord {
  const own = [buildFoundName(sweep, 'whole')];
  // Where the start is a pattern or a found name itself, so is what is below it.
  const below = (values: ShellWord['values']) =>
    values?.map(({ glob }) => placeBelow(glob, buildFoundName(sweep, 'whole')));
  const list = (read: (start: ShellWord) => readonly Value[] | undefined) =>
    starts.length === 0 ? own : flatUnless(starts.map((start) => below(read(start))));
  const values = list((start) => start.values);
  const guesses = values ? undefined : list((start) => start.values ?? start.guesses);
  const known = { ...(values ? { values } : {}), ...(guesses ? { guesses } : {}) };
  return { text: '{}', single: true, ...known };
}

function flatUnless(lists: readonly (readonly Value[] | undefined)[]): readonly Value[] | undefined {
  const known = lists.flatMap((values) => (values ? [values] : []));
  return known.length < lists.length ? undefined : known.flat();
}

/** Whether a value is only a date, where the primary takes one. */
export function isDateOf(primary: string, value: ShellWord): boolean {
  return !/^-newer[a-zB]t$/.test(primary) || aDate.test(readLiteral(value) ?? '"');
}

export function findCommandEnd(words: readonly ShellWord[], from: number): number {
  const end = words.findIndex((word, index) => {
    if (index < from) return false;
    const text = readLiteral(word);
    return text === ';' || (text === '+' && readLiteral(words[index - 1]) === '{}');
  });
  return end < 0 ? words.length : end;
}
