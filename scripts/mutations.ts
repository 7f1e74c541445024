import { blankSource } from './source.ts';

/** One small change of a source file, of the kind that a mistake would make. */
export interface Mutation {
  readonly kind: string;
  /** Where the text begins that is replaced. */
  readonly at: number;
  readonly from: string;
  readonly to: string;
}

/** All places of a file that could be changed this way. Not a parser: the runner drops changes that do not compile. */
export function findMutations(source: string, isTable: boolean): Mutation[] {
  const code = blankSource(source);
  const found = isTable ? [] : [...conditions(source, code), ...replaced(code)];
  return [...found, ...expressions(source, code), ...(isTable ? entries(source) : [])].sort(
    (a, b) => a.at - b.at,
  );
}

export function applyMutation(source: string, { at, from, to }: Mutation): string {
  return source.slice(0, at) + to + source.slice(at + from.length);
}

/** `if (x)` becomes `if (!(x))`; a guard that returns early is left out. */
function conditions(source: string, code: string): Mutation[] {
  return [...code.matchAll(/\bif \(/g)].flatMap((match) => {
    const open = match.index + match[0].length - 1;
    const close = closing(code, open);
    if (close === undefined) return [];
    const condition = source.slice(open, close + 1);
    const negated = { kind: 'condition negated', at: open, from: condition, to: `(!${condition})` };
    const end = /^ return\b[^;]*;/.exec(code.slice(close + 1))?.[0].length;
    if (end === undefined) return [negated];
    const from = source.slice(match.index, close + 1 + end);
    return [negated, { kind: 'early return dropped', at: match.index, from, to: `void 0;` }];
  });
}

function closing(code: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (code[at] === '(') depth++;
    if (code[at] === ')' && --depth === 0) return at;
  }
  return undefined;
}

const replacements: readonly (readonly [kind: string, from: RegExp, to: string])[] = [
  ['what cannot be told is fine', / === untold\b/g, ' === Symbol.for("none")'],
  ['what is missing is fine', / === undefined\b/g, ' === null'],
  ['and for or', / && /g, ' || '],
  ['or for and', / \|\| /g, ' && '],
  ['some for every', /\.every\(/g, '.some('],
  ['every for some', /\.some\(/g, '.every('],
  ['false for true', /(?<=[ :(])true(?=[,;) ])(?! as)/g, 'false'],
  ['true for false', /(?<=[ :(])false(?=[,;) ])/g, 'true'],
  ['the first for the last', /\.(?:findLast|at)\((?=-1\))/g, '.at(0 * '],
];

function replaced(code: string): Mutation[] {
  return replacements.flatMap(([kind, from, to]) =>
    [...code.matchAll(from)].map((match) => ({ kind, at: match.index, from: match[0], to })),
  );
}

/** A regular expression without its first or last anchor takes more. */
function expressions(source: string, code: string): Mutation[] {
  return [...source.matchAll(/\/\^|\$\/(?=[a-z]*[.,;)\s])/g)]
    .filter((match) => code[match.index] === ' ' && source[match.index - 1] !== '/')
    .map((match) => ({
      kind: 'expression loosened',
      at: match.index,
      from: match[0],
      to: match[0] === '/^' ? '/(?:)' : '/',
    }));
}

/** In a table of words one is left out, or an option takes a value of another kind. */
function entries(source: string): Mutation[] {
  return [...source.matchAll(/(?<=['" ])(--?[A-Za-z][\w-]*)([:<>?#&]?)(?=[ '"])/g)].flatMap((match) => {
    const [whole = '', , sign = ''] = match;
    const removed = { kind: 'entry removed', at: match.index, from: whole, to: '' };
    const other: Readonly<Record<string, string>> = {
      '>': ':',
      '<': ':',
      ':': '',
      '#': ':',
      '?': '',
      '&': ':',
      '': ':',
    };
    return [
      removed,
      {
        kind: 'value of another kind',
        at: match.index,
        from: whole,
        to: whole.replace(/[:<>?#&]?$/, other[sign] ?? ''),
      },
    ];
  });
}
