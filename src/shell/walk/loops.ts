import type { SyntaxNode } from 'unbash';
import { assignedNames, findArithmeticFault, surelyAssigned } from '../grammar/arithmetic.ts';
import { type ScriptReading, wordContext } from '../grammar/read-command.ts';
import { readWord } from '../grammar/read-word.ts';
import type { Revisions, ShellWord, SimpleCommand, Value } from '../grammar/types.ts';
import { describeMatch } from '../judge/uses.ts';
import { readLine } from './read-variables.ts';
import type { RunOrder } from './run-order.ts';
import type { State } from './state.ts';
import { findChanges, isNumberText } from './survey.ts';
import { isHarmlessName, type Variable } from './variables.ts';

/** The part of the script walk that a loop or a pipeline needs. */
export interface Visiting {
  readonly state: State;
  readonly commands: readonly SimpleCommand[];
  readonly order: RunOrder;
  visit(node: SyntaxNode): void;
  visitChildren(node: SyntaxNode): void;
  reading(): ScriptReading;
  emptyCommand(): SimpleCommand;
  addProblem(problem: string): void;
  addListed(words: readonly ShellWord[]): void;
  /** A problem that may run unseen text. */
  addUnseen(problem: string): void;
}

export function visitFor(walk: Visiting, node: Extract<SyntaxNode, { type: 'For' }>): void {
  const name = node.name.value;
  if (!isHarmlessName(name)) walk.addProblem(`the loop sets ${name}`);
  for (const word of node.wordlist ?? []) walk.visit(word);
  const context = wordContext(walk.emptyCommand(), walk.reading());
  const words = (node.wordlist ?? []).map((word) => readWord(word, { ...context, directory: undefined }));
  walk.addListed(words);
  const odd = words.find((word) => word.mayMatch);
  if (odd) walk.addProblem(describeMatch(odd));
  const isPlain = words.length > 0 && words.every((word) => word.isPlain);
  const isKnown = node.wordlist !== undefined && words.every((word) => word.values !== undefined);
  const { directories } = walk.state;
  const values = words.flatMap((word) => word.values ?? []).map((value) => asOneName(value, directories));
  const isNumber = isKnown && values.every(({ text }) => isNumberText(text));
  const isOwn = !findChanges(node.body).names.has(name);
  walk.state.repeatedly(findChanges(node), () => {
    const revisions = words.length === 1 ? words[0]?.revisions : undefined;
    const own = { isNumber, isPlain, ...(isKnown ? { values } : {}) };
    walk.state.define(name, isOwn ? { ...own, ...takeEach(revisions) } : undefined);
    walk.visit(node.body);
  });
}

export function visitWhile(walk: Visiting, node: Extract<SyntaxNode, { type: 'While' }>): void {
  walk.state.repeatedly(findChanges(node), () => {
    walk.visit(node.clause);
    const [last] = walk.commands.slice(-1);
    const end = node.clause.commands.at(-1);
    // The body runs only after `read` has got a line.
    const isReading = node.kind === 'while' && end?.command.type === 'Command' && !end.background;
    const line = isReading && last ? readLine(last) : undefined;
    if (line && !findChanges(node.body).names.has(line.name))
      walk.state.define(line.name, { isNumber: false, values: line.values });
    walk.visit(node.body);
  });
}

export function visitArithmeticFor(
  walk: Visiting,
  node: Extract<SyntaxNode, { type: 'ArithmeticFor' }>,
): void {
  const check = (part: typeof node.test) => {
    const fault = findArithmeticFault(part, walk.state.variables);
    if (fault) walk.addUnseen(fault);
  };
  check(node.initialize);
  assignNumbers(walk, node.initialize);
  for (const name of surelyAssigned(node.initialize)) walk.state.define(name, { isNumber: true });
  walk.state.repeatedly(findChanges(node), () => {
    check(node.test);
    check(node.update);
    walk.visitChildren(node);
  });
}

/** A number stays a number. In the middle of a word it may not even be evaluated, or in another process. */
export function assignNumbers(walk: Visiting, expression: Parameters<typeof assignedNames>[0]): void {
  const names = assignedNames(expression);
  const odd = names.find((name) => !isHarmlessName(name));
  if (odd !== undefined) walk.addProblem(`arithmetic sets ${odd}`);
  walk.state.forget(names);
}

function takeEach(revisions: Revisions | undefined): Pick<Variable, 'revisions'> {
  return revisions ? { revisions: { ...revisions, isOne: true } } : {};
}

/** A loop takes one of many names at a time, and does not run where there is none. */
function asOneName(value: Value, directories: readonly string[]): Value {
  if (value.sweep) {
    const { mayBeEmpty: _, ...sweep } = value.sweep;
    return { ...value, sweep };
  }
  if (!value.isPattern || value.pieces) return value;
  const from = value.text.startsWith('/') ? ['/'] : directories;
  return { ...value, pieces: { taken: 'whole', from, glob: value.glob } };
}
