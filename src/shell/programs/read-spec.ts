import { untold } from '../../lib/told.ts';
import { mayBeOption, readLiteral, type ShellWord, tellText } from '../grammar/types.ts';
import { isHarmlessName } from '../walk/variables.ts';
import { type Effect, here, type PathUse, unknown } from './effect.ts';
import { type ReadArguments, readArguments } from './flags.ts';
import { describeSweep, unclassedOption } from './sweeps.ts';
import type { ProgramSpec } from './tool-spec.ts';

/** Checks a command against what is known about its tool. */
export function readSpec(name: string, spec: ProgramSpec | undefined, words: readonly ShellWord[]): Effect {
  if (!spec) return unknown(`${name} is not on the list of read-only commands`);
  const read = readArguments(words, spec);
  if (typeof read === 'string') return unknown(`${name}: ${read}`);
  const unclassed = unclassedOption(name, read);
  if (unclassed !== undefined) return unknown(`${name}: the files it finds with ${unclassed} are unknown`);
  const takesPattern = spec.operands === 'pattern' && !hasFlag(read, spec.patternFlags);
  const fault = findOperandFault(name, spec, takesPattern, read);
  if (fault) return unknown(`${name}: ${fault}`);
  return { known: true, uses: listArgumentUses(name, spec, read) };
}

/** The files that the options and operands of a tool name, and how it continues from there. */
export function listArgumentUses(name: string, spec: ProgramSpec, read: ReadArguments): readonly PathUse[] {
  const takesPattern = spec.operands === 'pattern' && !hasFlag(read, spec.patternFlags);
  const uses: PathUse[] = [
    ...read.files.map((word): PathUse => ({ kind: 'read', word })),
    ...read.kept.map((word): PathUse => ({ kind: 'list', word, sweep: 'none', optionsRead: true })),
  ];
  return spec.operands === 'text' || spec.operands === 'none'
    ? [...uses, ...namesShown(read.operands)]
    : [...uses, ...listOperandUses(name, spec, takesPattern, read)];
}

function listOperandUses(
  name: string,
  spec: ProgramSpec,
  takesPattern: boolean,
  read: ReadArguments,
): readonly PathUse[] {
  const rest = takesPattern ? read.operands.slice(1) : read.operands;
  const isDeep = spec.deep === true || hasFlag(read, spec.deep);
  const isList = spec.operands === 'names' || spec.lists === true || hasFlag(read, spec.lists);
  const kind = name === 'cd' ? 'enter' : isList ? 'list' : isDeep ? 'search' : 'read';
  // Whether a search reads the pipe or the directory is not always visible.
  const places = rest.length === 0 && (spec.here || isDeep) ? [here] : distinctWords(rest);
  const sweep = describeSweep(name, read);
  const more = {
    ...(spec.inert === 'looks' && read.separator === undefined ? { optionsRead: true as const } : {}),
    ...(spec.opensDirectories ? { opensDirectories: true as const } : {}),
  };
  return places
    .filter((word) => readLiteral(word) !== '-')
    .flatMap((word) => ['', ...(spec.endings ?? [])].map((ending) => withEnding(word, ending)))
    .map(
      (word) =>
        ({ kind, word: printsNames(name, read) ? withoutSlash(word) : word, sweep, ...more }) as const,
    );
}

/** `ls -d` alone: of what a name leads to it prints nothing. */
function printsNames(name: string, { flags }: ReadArguments): boolean {
  return name === 'ls' && flags.has('-d') && [...flags].every((flag) => flag === '-d' || flag === '-1');
}

function withoutSlash(word: ShellWord): ShellWord {
  const values = word.values?.map((value) =>
    value.isPattern ? { ...value, glob: value.glob.replace(/(?<=[^\\/])\/+$/, '') } : value,
  );
  return values ? { ...word, values } : word;
}

function withEnding(word: ShellWord, ending: string): ShellWord {
  if (ending === '' || !word.values) return word;
  const values = word.values.map((value) => ({
    ...value,
    text: value.text + ending,
    glob: value.glob + ending,
  }));
  return { ...word, values };
}

function hasFlag({ flags }: ReadArguments, wanted: string | true | undefined): boolean {
  return typeof wanted === 'string' && wanted.split(' ').some((flag) => flags.has(flag));
}

/** In one command the same text becomes the same words. */
function distinctWords(words: readonly ShellWord[]): readonly ShellWord[] {
  if (words.length < 3) return words;
  return [...new Map(words.map((word) => [word.text, word])).values()];
}

/** A pattern among words that are only printed, or passed on, shows file names; a slash at its end opens none of them. */
export function namesShown(words: readonly ShellWord[]): PathUse[] {
  return words.flatMap((word): PathUse[] => {
    const patterns = withoutSlash(word).values?.filter((value) => value.isPattern && !value.sweep) ?? [];
    return patterns.length > 0 ? [{ kind: 'list', word: { ...word, values: patterns }, sweep: 'none' }] : [];
  });
}

function findOperandFault(
  name: string,
  spec: ProgramSpec,
  takesPattern: boolean,
  read: ReadArguments,
): string | undefined {
  const { operands, patterns } = read;
  if (spec.operands === 'none' && operands.length > 0) return `${operands[0]?.text} is not expected`;
  if (spec.most !== undefined && (operands.length > spec.most || operands.some((word) => !word.single)))
    return 'it writes to another operand';
  if (takesPattern && operands[0] && !operands[0].single) return 'its pattern may be more than one word';
  if (takesPattern && mayHideOption(read)) return 'its pattern may become an option';
  if (name === 'read' && !operands.every((word) => isHarmlessName(readLiteral(word) ?? 'PATH')))
    return 'it sets a variable';
  const odd = operands.find((word) => !isNamed(word, spec));
  if (odd) return `it may search for names other than ${odd.text}`;
  if (!spec.check) return undefined;
  if (takesPattern) return faultOfPattern(operands[0], spec.check);
  const texts = spec.operands === 'pattern' ? patterns : operands.map(tellText);
  return spec.check(texts.map((text) => (text === untold ? undefined : text)));
}

/** The first operand, which for some tools is no file, is a shell pattern or a variable that may become an option. */
export function mayHideOption({ operands: [first], separator }: ReadArguments): boolean {
  if (separator === 0 || !first || readLiteral(first) !== undefined) return false;
  return first.values?.some(({ glob }) => dashed.test(glob)) ?? mayBeOption(first);
}

/** It begins with a dash, or with a pattern that a dash may fit: not `[n]ode`. */
const dashed = /^(?:\\?-|\[[^\]]*[-!^:]|[*?@+!(]|$)/;

/** A known variable may give it several values. */
function faultOfPattern(
  word: ShellWord | undefined,
  check: NonNullable<ProgramSpec['check']>,
): string | undefined {
  const isText = word?.values?.every(({ isPattern, sweep, pieces }) => !isPattern && !sweep && !pieces);
  if (!isText) return check([readLiteral(word)]);
  return word?.values?.map(({ text }) => check([text])).find((fault) => fault !== undefined);
}

function isNamed({ values }: ShellWord, { named }: ProgramSpec): boolean {
  return !named || values?.every((value) => value.text === '-' || named.test(value.glob)) === true;
}
