import { forEachChild, type ParsedScript, type SyntaxNode, type Word } from 'unbash';
import { assignedNames } from '../grammar/arithmetic.ts';
import { literalValue } from '../grammar/types.ts';
import { type Disturbance, findDisturbance, readPlain } from './state-builtins.ts';
import { openVariables, Variables } from './variables.ts';

/** Effects of a script on its own variables, in all of its text. Substitutions are separate scripts. */
export interface Survey {
  /** Set somewhere in the script, or in a script around it. */
  readonly assigned: ReadonlySet<string>;
  /** Those that get something other than a number somewhere. */
  readonly texts: ReadonlySet<string>;
  /** Those that may hold the value of an environment variable. */
  readonly environment: ReadonlySet<string>;
  /** All texts that a variable gets somewhere. */
  readonly guesses: Variables;
  readonly disturbances: readonly Disturbance[];
}

export const emptySurvey: Survey = {
  assigned: new Set(),
  texts: new Set(),
  environment: new Set(),
  guesses: new Variables(),
  disturbances: [],
};

/** One look at the whole script before it is walked: a later part of a loop affects earlier parts. */
export function surveyScript(script: ParsedScript, outer: Survey): Survey {
  const assigned = new Set(outer.assigned);
  const texts = new Set<string>();
  const guesses = new Variables(outer.guesses);
  const disturbances: Disturbance[] = [];
  const takers = new Map<string, string[]>();
  const visit = (node: SyntaxNode): void => {
    for (const { name, isNumber, from } of listSettings(node)) {
      assigned.add(name);
      if (!isNumber) texts.add(name);
      const written = from?.flatMap((word) => readPlain(word) ?? []).map(literalValue) ?? [];
      if (written.length > 0)
        guesses.define(name, { isNumber, values: [...(guesses.get(name)?.values ?? []), ...written] });
      for (const used of from?.flatMap(namesUsed) ?? []) {
        const names = takers.get(used);
        if (names) names.push(name);
        else takers.set(used, [name]);
      }
    }
    const found = findNodeDisturbance(node);
    if (found) disturbances.push(found);
    if (!isApart(node)) forEachChild(node, visit);
    else if (node.type === 'Subshell') forEachChild(node, visit);
  };
  forEachChild(script, visit);
  const environment = spread(takers, assigned, outer.environment);
  return { assigned, texts, environment, guesses, disturbances };
}

/** Possible effects of a part of a script on the shell that runs it. */
export interface Changes {
  readonly names: ReadonlySet<string>;
  readonly moves: boolean;
}

export function findChanges(node: SyntaxNode): Changes {
  const before = changes.get(node);
  if (before) return before;
  const names = new Set<string>();
  let moves = node.type === 'Command' && node.name !== undefined && readPlain(node.name) === 'cd';
  for (const { name } of listSettings(node)) names.add(name);
  if (!isApart(node))
    forEachChild(node, (child) => {
      const inner = findChanges(child);
      for (const name of inner.names) names.add(name);
      moves ||= inner.moves;
    });
  if (node.type === 'Statement' && node.background) moves = false;
  if (node.type === 'Pipeline' && node.commands.length > 1) moves = false;
  const found = { names, moves };
  changes.set(node, found);
  return found;
}

const changes = new WeakMap<SyntaxNode, Changes>();

/** Runs in a separate process: what it sets is lost with it. */
function isApart(node: SyntaxNode): boolean {
  return (
    node.type === 'Subshell' ||
    node.type === 'CommandExpansion' ||
    node.type === 'ProcessSubstitution' ||
    node.type === 'ArithmeticCommandExpansion'
  );
}

function findNodeDisturbance(node: SyntaxNode): Disturbance | undefined {
  if (node.type === 'Function')
    return { fault: `it defines a function, ${node.name.text}`, reach: 'everything', runsUnseen: false };
  return node.type === 'Command' ? findDisturbance(node) : undefined;
}

interface Setting {
  readonly name: string;
  readonly isNumber: boolean;
  /** The words that its value is made of. */
  readonly from?: readonly Word[];
}

/** The variables that one node sets, without those of the nodes in it. */
function listSettings(node: SyntaxNode): Setting[] {
  switch (node.type) {
    case 'Assignment': {
      const from = node.value.type === 'Word' ? [node.value] : node.value.elements;
      const isPlain = node.value.type === 'Word' && !node.append && !node.index;
      return [{ name: node.name, isNumber: isPlain && from.every(isNumberWord), from }];
    }
    case 'For':
    case 'Select': {
      const from = node.wordlist ?? [];
      const isNumber = node.wordlist !== undefined && from.every(isNumberWord);
      return [{ name: node.name.value, isNumber, from }];
    }
    case 'ArithmeticCommand':
    case 'ArithmeticExpansion':
      return assignedNames(node.expression).map((name) => ({ name, isNumber: true }));
    case 'ArithmeticFor':
      return [node.initialize, node.test, node.update]
        .flatMap(assignedNames)
        .map((name) => ({ name, isNumber: true }));
    case 'ParameterExpansion':
      return node.operation?.type === 'Default' && node.operation.operator.includes('=')
        ? [{ name: node.parameter, isNumber: false }]
        : [];
    case 'Command':
      if (!node.name || readPlain(node.name) !== 'read') return [];
      return node.suffix.flatMap((one) => {
        const name = one.type === 'Word' ? readPlain(one) : undefined;
        return name !== undefined && /^\w+$/.test(name) ? [{ name, isNumber: false }] : [];
      });
    default:
      return [];
  }
}

/** A number in the text, or the result of arithmetic: bash reads a leading zero as octal, and may fail. */
export function isNumberWord(word: Word): boolean {
  const plain = readPlain(word);
  if (plain !== undefined) return isNumberText(plain);
  const [only, ...more] = word.parts ?? [];
  const inside = only?.type === 'DoubleQuoted' && only.parts.length === 1 ? only.parts[0] : only;
  return more.length === 0 && inside?.type === 'ArithmeticExpansion' && inside.text.startsWith('$((');
}

export function isNumberText(text: string): boolean {
  return /^(?:0|[1-9]\d{0,17})$/.test(text);
}

/** The variables that a word shows; the output of a substitution in it is judged separately. */
function namesUsed(node: SyntaxNode): string[] {
  if (node.type === 'SimpleExpansion') return [node.text.slice(1)];
  if (isApart(node)) return [];
  const names = node.type === 'ParameterExpansion' && node.prefix !== '#' ? [node.parameter] : [];
  forEachChild(node, (child) => names.push(...namesUsed(child)));
  return names;
}

/** From variable to variable, in whatever order the assignments run. `takers` are those that get its value. */
function spread(
  takers: ReadonlyMap<string, readonly string[]>,
  assigned: ReadonlySet<string>,
  outer: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set(outer);
  const isSecret = (name: string) =>
    !assigned.has(name) && !openVariables.has(name) && /^[A-Za-z_]/.test(name);
  const waiting = [...takers.keys()].filter((name) => found.has(name) || isSecret(name));
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop())
    for (const name of takers.get(from) ?? []) {
      if (found.has(name)) continue;
      found.add(name);
      waiting.push(name);
    }
  return found;
}
