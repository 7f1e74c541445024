import type { Command, ParsedScript, Redirection, SyntaxNode } from 'unbash';
import { revisionsPrinted } from '../git/revisions.ts';
import { describeMatch } from '../judge/uses.ts';
import { namesListed } from '../walk/names.ts';
import { printsPlain } from '../walk/plain-output.ts';
import type { Survey } from '../walk/survey.ts';
import type { Variables } from '../walk/variables.ts';
import type { ShellDialect } from './dialect.ts';
import { readWord, readWords, type WordContext } from './read-word.ts';
import {
  type Assignment,
  type Redirect,
  type Revisions,
  readLiteral,
  type ShellWord,
  type SimpleCommand,
  type Sweep,
} from './types.ts';

export interface ScriptReading {
  readonly variables: Variables;
  readonly survey: Survey;
  readonly home: string;
  readonly dialect: ShellDialect;
  findHome(user: string): string | undefined;
  /** Not inside nested scripts: each level would be read once for every level around it. */
  readonly looksInside: boolean;
  problem(text: string): void;
  /** Called for words that become names, though no command takes them. */
  list?(words: readonly ShellWord[]): void;
  /** Called for each assignment in order: the next one may use it. */
  assign?(one: AssignmentNode, word: ShellWord | undefined): void;
}

export type AssignmentNode = Extract<Command['prefix'][number], { type: 'Assignment' }>;

/** A command's words, assignments and redirections; `empty` holds its position. */
export function readCommand(node: Command, empty: SimpleCommand, reading: ScriptReading): SimpleCommand {
  const context = wordContext(empty, reading);
  const assignments: Assignment[] = [];
  for (const one of [...node.prefix, ...node.suffix]) {
    if (one.type !== 'Assignment') continue;
    const isPlain = one.value.type === 'Word' && !one.index && !one.append;
    if (evaluatesSubscript(one)) reading.problem(`the subscript of ${one.name} is evaluated`);
    let elements: ShellWord[] | undefined;
    if (one.value.type === 'ArrayValue') {
      elements = one.value.elements.map((element) => readWord(element, context));
      reading.list?.(elements);
      const odd = elements.find((word) => word.mayMatch);
      if (odd) reading.problem(describeMatch(odd));
    }
    const word = isPlain && one.value.type === 'Word' ? readWord(one.value, context, 'value') : undefined;
    assignments.push({ name: one.name, ...(word ? { word } : {}), ...(elements ? { elements } : {}) });
    reading.assign?.(one, word);
  }
  const words = [node.name, ...node.suffix].flatMap((one) =>
    one?.type === 'Word' ? readWords(one, context) : [],
  );
  const redirects = node.redirects.flatMap((one) => readRedirect(one, context, reading));
  const takesNames = node.redirects.some(givesInput) ? undefined : empty.takesNames;
  const mixes = node.redirects.some((one) => one.type === 'Redirect' && one.operator.endsWith('&'));
  const input = node.redirects.flatMap((one) => readInput(one, context));
  return {
    ...{ ...empty, takesNames, words, assignments, redirects },
    ...(mixes ? { mixes: true as const } : {}),
    ...(input.length > 0 ? { input } : {}),
  };
}

/** The content of a here-document or a here-string, as far as the text says. */
function readInput(one: Redirection, context: WordContext): string[] {
  if (one.type === 'HereDoc') return [one.body.text];
  if (one.type !== 'HereString' || !one.target) return [];
  const { values, guesses } = readWord(one.target, context, 'value');
  return (values ?? guesses)?.map(({ text }) => text) ?? [one.target.text];
}

/** Whether a command's input comes from here and not from a pipe. */
export function givesInput(one: Redirection): boolean {
  return one.type !== 'Redirect' || one.operator.startsWith('<');
}

/** A subscript is arithmetic, which runs the content of a variable: only a number is known. */
function evaluatesSubscript({ index, value }: AssignmentNode): boolean {
  if (index && !/^\d+$/.test(index.text)) return true;
  if (value.type !== 'ArrayValue') return false;
  return value.elements.some(({ text }) => text.startsWith('[') && !/^\[\d+\]\+?=/.test(text));
}

export function wordContext(empty: SimpleCommand, reading: ScriptReading): WordContext {
  return {
    variables: reading.variables,
    survey: reading.survey,
    home: reading.home,
    dialect: reading.dialect,
    findHome: reading.findHome,
    directory: empty.directories.length === 1 ? empty.directories[0] : undefined,
    namesListed: (script) => {
      const names = reading.looksInside ? scriptNames(script, empty, reading) : undefined;
      return names?.zero ? undefined : names;
    },
    printsPlain: (script) => reading.looksInside && isPlainScript(script, empty, reading),
    revisionsPrinted: (script) => (reading.looksInside ? scriptRevisions(script, empty, reading) : undefined),
  };
}

function readRedirect(one: Redirection, context: WordContext, reading: ScriptReading): Redirect[] {
  if (one.type !== 'Redirect') {
    if (showsEnvironment(one, context))
      reading.problem('it shows an environment variable, which may be a secret');
    return [];
  }
  if (!one.target) {
    reading.problem('a redirection without a target');
    return [];
  }
  const target = readWord(one.target, context);
  if (one.operator.endsWith('&') && /^(?:\d+-?|-)$/.test(readLiteral(target) ?? '')) return [];
  if (one.operator === '<>')
    return [
      { access: 'read', target },
      { access: 'write', target },
    ];
  return [{ access: one.operator === '<' ? 'read' : 'write', target }];
}

/** Text that is passed in may contain the value of a variable. */
function showsEnvironment(one: Exclude<Redirection, { type: 'Redirect' }>, context: WordContext): boolean {
  if (one.type === 'HereString')
    return one.target !== undefined && readWord(one.target, context).environment === true;
  const { pos, end, parts } = one.body;
  if (!parts) return false;
  return readWord({ type: 'Word', text: '', value: '', pos, end, parts }, context).environment === true;
}

/** The commands of a script that is a single command or pipeline. */
function listPipeline(script: ParsedScript): readonly SyntaxNode[] {
  const only = script.commands.length === 1 ? script.commands[0]?.command : undefined;
  return only?.type === 'Pipeline' ? only.commands : only?.type === 'Command' ? [only] : [];
}

/** `$(wc -l < a)` and similar: one pipeline that prints nothing that could be a pattern. */
function isPlainScript(
  script: ParsedScript,
  empty: SimpleCommand,
  { assign: _, list: __, ...reading }: ScriptReading,
): boolean {
  let isPlain = false;
  for (const command of listPipeline(script)) {
    if (command.type !== 'Command') return false;
    isPlain = printsPlain(readCommand(command, empty, { ...reading, looksInside: false }), isPlain);
  }
  return isPlain;
}

/** `$(git rev-parse HEAD)` and similar: one command. */
function scriptRevisions(
  script: ParsedScript,
  empty: SimpleCommand,
  { assign: _, list: __, ...reading }: ScriptReading,
): Revisions | undefined {
  const [command, ...more] = listPipeline(script);
  if (command?.type !== 'Command' || more.length > 0) return undefined;
  return revisionsPrinted(readCommand(command, empty, { ...reading, looksInside: false }));
}

/** `$(git ls-files)` and similar: one pipeline that prints file names. */
function scriptNames(
  script: ParsedScript,
  empty: SimpleCommand,
  { assign: _, list: __, ...reading }: ScriptReading,
): Sweep | undefined {
  const commands = listPipeline(script);
  let takesNames: Sweep | undefined;
  for (const command of commands) {
    if (command.type !== 'Command') return undefined;
    takesNames = namesListed(
      readCommand(command, { ...empty, takesNames }, { ...reading, looksInside: false }),
    );
  }
  return takesNames;
}

/** The parser accepts a parenthesis after a command's name; bash does not. */
export function isWhole(node: Command, source: string): boolean {
  const pieces = [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix];
  let at = node.pos;
  for (const piece of pieces) {
    if (!/^(?:[ \t]|\\\n)*$/.test(source.slice(at, piece.pos))) return false;
    at = Math.max(at, piece.end);
  }
  return !/^(?:[ \t]|\\\n)*\(/.test(source.slice(at, at + 100));
}
