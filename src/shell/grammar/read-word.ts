import type { ParsedScript, Word, WordPart } from 'unbash';
import { listPieces } from '../walk/broken-names.ts';
import { guessedVariable, guessValues } from '../walk/guess-values.ts';
import { printedText } from '../walk/printed-text.ts';
import type { Survey } from '../walk/survey.ts';
import { openVariables, type Variable, type Variables } from '../walk/variables.ts';
import { isPlainAnsi } from './ansi.ts';
import { expandWord } from './brace-words.ts';
import type { ShellDialect } from './dialect.ts';
import { expandTildes, looksLikeAssignment, type TildePlaces, type TildeUse } from './tildes.ts';
import {
  buildFoundNames,
  literalValue,
  type Pieces,
  type Revisions,
  readLiteral,
  type ShellWord,
  type Sweep,
  type Value,
} from './types.ts';
import { add, addComputed, type Building, maxValues, spellBuilt } from './word-building.ts';

/** The script context that a word needs. */
export interface WordContext {
  readonly variables: Variables;
  readonly survey: Survey;
  readonly home: string;
  readonly dialect: ShellDialect;
  /** The home of another user. */
  findHome(user: string): string | undefined;
  /** Asks for everything that the text may mean, not only for what is proved. */
  readonly isGuessing?: true;
  /** Undefined where the script may have left it. */
  readonly directory: string | undefined;
  /** The files that a substitution names, when it prints nothing else. */
  namesListed(script: ParsedScript): Sweep | undefined;
  /** Whether nothing that a substitution prints can be a pattern. */
  printsPlain(script: ParsedScript): boolean;
  /** The commits that a substitution prints by their ids, and nothing else. */
  revisionsPrinted(script: ParsedScript): Revisions | undefined;
}

/**
 * Everything that a word may become, in the order of a shell's expansions: braces, tildes, then the rest. Substitutions
 * inside are handled elsewhere: here they are computed. The value of an assignment has no braces.
 */
export function readWord(word: Word, context: WordContext, use: 'word' | 'value' = 'word'): ShellWord {
  const read = readExpanded(word, context, use);
  if (read.values) return read;
  const guessing: WordContext = { ...context, variables: context.survey.guesses, isGuessing: true };
  const { values: guesses } = readExpanded(word, guessing, use);
  return guesses ? { ...read, guesses } : read;
}

/** The words that a word becomes by its braces, each alone where all of them are in the text (`--exclude-dir={a,b}`). */
export function readWords(word: Word, context: WordContext): readonly ShellWord[] {
  const braced = context.dialect === 'bash' ? expandWord(word) : 'none';
  if (!braced || braced === 'none' || braced.length > maxValues) return [readWord(word, context)];
  const words = braced.map((one) => readProved(one.word, context, 'word'));
  return words.every((one) => readLiteral(one) !== undefined) ? words : [readWord(word, context)];
}

function readExpanded(word: Word, context: WordContext, use: 'word' | 'value'): ShellWord {
  if (use === 'value') return readProved(word, context, 'value');
  const braced = expandWord(word);
  if (braced === 'none')
    return readProved(word, context, looksLikeAssignment(word.text) ? 'argument' : 'word');
  const all = braced?.map((one) => readProved(one.word, context, 'word')) ?? [];
  // For a guess, a partial result is better than nothing.
  const isKnown = braced && (context.isGuessing ? all.some(hasValues) : all.every(hasValues));
  const values = all.flatMap((one) => one.values ?? []);
  const mayMatch = !braced || all.some((one) => one.mayMatch || !one.values);
  return {
    ...{ text: word.text, single: false },
    ...(isKnown && values.length > 0 && values.length <= maxValues ? { values } : {}),
    ...(all.some((one) => one.environment) ? { environment: true } : {}),
    ...(mayMatch ? { mayMatch } : {}),
  };
}

function hasValues({ values }: ShellWord): boolean {
  return values !== undefined;
}

function readProved(word: Word, context: WordContext, use: TildeUse): ShellWord {
  const building: Building = {
    ...{ values: [literalValue('')], single: true, environment: false },
    ...{ mayMatch: false, isPlain: true, hasPattern: false, pieces: [], spelled: [] },
  };
  const { parts } = word;
  if (parts === undefined)
    addBare(building, word.text, word.value, context, { use, isFirst: true, isLast: true });
  else
    for (const [index, part] of parts.entries())
      addPart(building, part, context, { use, isFirst: index === 0, isLast: index === parts.length - 1 });
  const { values, single, environment } = building;
  // A star beside computed text: the names it becomes are unknown too.
  const isMixed = !values && building.hasPattern && !single;
  const mayMatch = building.mayMatch || isMixed;
  const isPlain = building.isPlain && !building.hasPattern;
  const revisions = spellBuilt(building);
  return {
    text: word.text,
    ...(values ? { values } : {}),
    single,
    ...(environment ? { environment } : {}),
    ...(mayMatch ? { mayMatch } : {}),
    ...(isPlain && !values ? { isPlain } : {}),
    ...(revisions ? { revisions } : {}),
    ...(!values && building.pieces.length > 0 ? { pieces: building.pieces } : {}),
  };
}

/** The position of a part in its word, and where in it a tilde is expanded. */
interface PartPlace {
  readonly use: TildeUse;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

function addPart(building: Building, part: WordPart, context: WordContext, place: PartPlace) {
  switch (part.type) {
    case 'Literal':
      return addBare(building, part.text, part.value, context, place);
    case 'AnsiCQuoted':
      if (!isPlainAnsi(part)) return addComputed(building, { quoted: true });
      return add(building, [literalValue(part.value)]);
    case 'SingleQuoted':
      return add(building, [literalValue(part.value)]);
    case 'DoubleQuoted':
      for (const child of part.parts) {
        if (child.type === 'Literal') add(building, [literalValue(child.value)]);
        else addVariable(building, child, context, true);
      }
      return;
    case 'Glob':
      // `[n]ode` is one name, whether or not such a file exists.
      if (!/^\[[A-Za-z0-9]\]$/.test(part.text)) building.single = false;
      return add(building, [{ text: part.text, glob: part.text, isPattern: true }]);
    case 'ExtendedGlob':
      // It may match dot names, and is not supported here.
      return addComputed(building);
    case 'BraceExpansion':
      // Those of a word were expanded before; the value of an assignment has none.
      if (/^[\w.,/{}%+@-]*$/.test(part.text)) return add(building, [literalValue(part.text)]);
      return addComputed(building);
    case 'CommandExpansion': {
      building.single = false;
      if (isOwnDirectory(part, context)) return add(building, [literalValue(context.directory ?? '')]);
      const names = part.script && context.namesListed(part.script);
      if (names) return add(building, substituted(names));
      return addComputed(building, substitutedText(part.script, context));
    }
    case 'ProcessSubstitution':
      // A pipe to read from; its source is judged separately.
      return part.operator === '<' ? add(building, [literalValue('/dev/fd/9')]) : addComputed(building);
    default:
      return addVariable(building, part, context, false);
  }
}

/** Known facts about the text that a substitution prints, though not the text itself. */
function substitutedText(script: ParsedScript | undefined, context: WordContext) {
  const revisions = script && context.revisionsPrinted(script);
  return {
    isPlain: revisions !== undefined || (script !== undefined && context.printsPlain(script)),
    revisions,
  };
}

/** `$(pwd)`, where it is known and contains no character that is special to a shell. */
function isOwnDirectory(part: WordPart, { directory, survey, isGuessing }: WordContext): boolean {
  if (part.type !== 'CommandExpansion' || !(isGuessing ? guessedPwd : ownPwd).test(part.text)) return false;
  return directory !== undefined && !/[\s*?[\\]/.test(directory) && !survey.assigned.has('PWD');
}

const ownPwd = /^(?:\$\(\s*pwd\s*\)|`\s*pwd\s*`)$/;
const guessedPwd =
  /^(?:\$\(|`)\s*(?:pwd(?:\s+-[LP])?|git rev-parse --show-toplevel|realpath \.|readlink -f \.)\s*[)`]$/;

/** The output of a substitution: any number of names, and none of them need exist. */
export function substituted(names: Sweep): readonly Value[] {
  return buildFoundNames({ ...names, mayBeEmpty: true }, 'words');
}

/** Outside quotes a tilde may lead home. */
function addBare(building: Building, text: string, value: string, context: WordContext, place: PartPlace) {
  if (!text.includes('~')) return add(building, [literalValue(value)]);
  const isEscaped = text !== value;
  // An escape in the name after the tilde makes it a plain one; elsewhere the two texts differ in length.
  if (isEscaped && !/[=:]~/.test(text)) {
    const [prefix = ''] = /^[^/]*/.exec(text) ?? [];
    if (!place.isFirst || !text.startsWith('~') || prefix.includes('\\'))
      return add(building, [literalValue(value)]);
  }
  const { texts, isSure } = expandTildes(value, place.use, place, tildePlaces(context));
  if (isSure && !(isEscaped && /[=:]~/.test(text))) return add(building, texts.slice(0, 1).map(literalValue));
  return context.isGuessing ? add(building, [...texts, value].map(literalValue)) : addComputed(building);
}

function tildePlaces({ home, survey, directory, dialect, findHome }: WordContext): TildePlaces {
  const isMoved = survey.assigned.has('PWD');
  return {
    ...{ home, dialect, findHome },
    movesHome: survey.assigned.has('HOME'),
    directory: isMoved ? undefined : directory,
  };
}

function addVariable(building: Building, part: WordPart, context: WordContext, inQuotes: boolean) {
  // `"$@"` and `"${a[@]}"` are any number of words.
  const quoted = inQuotes && !(part.text === '$@' || part.text.includes('@'));
  const name = context.isGuessing ? guessedVariable(part) : findVariable(part);
  if (isOwnDirectory(part, context)) return add(building, [literalValue(context.directory ?? '')]);
  // Digits are one word, whatever they are.
  if (part.type === 'ArithmeticExpansion') return addComputed(building, { quoted: true, isPlain: true });
  if (name === undefined) {
    const isSubstitution = part.type === 'CommandExpansion' && part.script !== undefined;
    const printed = isSubstitution && inQuotes ? printedText(part.script) : undefined;
    if (printed !== undefined) return add(building, [literalValue(printed)]);
    const { isPlain, revisions } = substitutedText(isSubstitution ? part.script : undefined, context);
    return addComputed(building, {
      ...{ environment: namesEnvironment(part, context), inQuotes, quoted, revisions },
      isPlain: isPlain || isLength(part) || isPlainPart(part, context),
      pieces: inQuotes ? [] : piecesCut(part, context),
    });
  }
  const fixed = name === 'HOME' ? context.home : name === 'PWD' ? context.directory : undefined;
  const isAssigned = context.survey.assigned.has(name);
  if (context.isGuessing) {
    const guesses = guessValues(part, name, fixed, context);
    return guesses.length > 0 ? add(building, guesses) : addComputed(building);
  }
  if (fixed !== undefined && !isAssigned && (quoted || !/[\s*?[]/.test(fixed)))
    return add(building, [literalValue(fixed)]);
  const { values: given = [], isNumber, isPlain, revisions } = context.variables.get(name) ?? {};
  if (given.length === 0) {
    const isOne = isNumber || /^[?#$]$/.test(name);
    return addComputed(building, {
      environment: showsEnvironment(name, context),
      inQuotes,
      quoted: quoted || isOne,
      isPlain: isOne || isPlain || (!isAssigned && openVariables.has(name)),
      revisions: revisions?.from === context.directory ? revisions : undefined,
    });
  }
  if (quoted) return add(building, given);
  const values = given.map(splitValue);
  // The text gives it blanks: it is several words, and may be a pattern.
  if (!values.every((value) => value !== undefined))
    return addComputed(building, { isPlain: given.every(({ text }) => !/[*?[\\]/.test(text)) });
  if (values.some((value) => value.isPattern)) building.single = false;
  add(building, values);
}

/**
 * Outside quotes a value is split at blanks, which shifts all that follows, and read as a pattern again. An empty one is no
 * word at all.
 */
function splitValue(value: Value): Value | undefined {
  if (value.text === '' || /[\s\\]/.test(value.text)) return undefined;
  if (value.sweep) return { ...value, sweep: { ...value.sweep, taken: 'words' } };
  if (value.pieces) return { ...value, pieces: { ...value.pieces, taken: 'words' } };
  return value.isPattern ? value : bareValue(value.text);
}

function bareValue(text: string): Value {
  return /[*?[]/.test(text) ? { text, glob: text, isPattern: true } : literalValue(text);
}

function findVariable(part: WordPart): string | undefined {
  if (part.type === 'SimpleExpansion') return part.text.slice(1);
  if (part.type !== 'ParameterExpansion' || part.prefix || part.index || part.operation) return undefined;
  return part.parameter;
}

/**
 * A part of a variable that contains no pattern, such as `${h:0:7}`; or the beginning of a name that a search found
 * (`${f%.ts}`) or its last component: a pattern in that stays below where it was found.
 */
function isPlainPart(part: WordPart, context: WordContext): boolean {
  if (part.type !== 'ParameterExpansion' || part.prefix || part.index || !part.operation) return false;
  const { values, isPlain, isNumber } =
    context.variables.get(part.parameter) ?? ownPlace(part.parameter, context);
  const { type } = part.operation;
  const keeps = type === 'Remove' || type === 'Slice' || type === 'CaseModification';
  if (!keeps) return false;
  const isText = values?.every(({ text, isPattern }) => !isPattern && !/[*?[\\]/.test(text));
  if (isText || isPlain || isNumber) return true;
  if (type !== 'Remove' || !values?.every(({ isPattern, sweep }) => isPattern || sweep)) return false;
  return part.operation.operator.startsWith('%') || part.text.endsWith('##*/}');
}

/** A part of a name that a search found is split and read as a pattern like the whole. */
function piecesCut(part: WordPart, { variables }: WordContext): readonly Pieces[] {
  if (part.type !== 'ParameterExpansion' || isLength(part)) return [];
  const values = variables.get(part.parameter)?.values ?? [];
  return values.flatMap(listPieces).map((one) => ({ ...one, taken: 'words' }));
}

/** The home and the directory of the shell, where the script does not change them. */
function ownPlace(name: string, { home, directory, survey }: WordContext): Partial<Variable> {
  const place = name === 'HOME' ? home : name === 'PWD' ? directory : undefined;
  return place === undefined || survey.assigned.has(name) ? {} : { values: [literalValue(place)] };
}

/** `${#x}`: a number. */
function isLength(part: WordPart): boolean {
  return part.type === 'ParameterExpansion' && part.prefix === '#';
}

function namesEnvironment(part: WordPart, context: WordContext): boolean {
  if (part.type !== 'ParameterExpansion' || part.prefix === '#') return false;
  return showsEnvironment(part.parameter, context);
}

function showsEnvironment(name: string, { survey }: WordContext): boolean {
  return survey.assigned.has(name) ? survey.environment.has(name) : !isOpen(name);
}

/** Digits and signs are the shell's own: arguments, the last status. */
function isOpen(name: string): boolean {
  return openVariables.has(name) || !/^[A-Za-z_]/.test(name);
}
