import type { Command, Word } from 'unbash';

/** How far a command affects the meaning of the rest of a script: its variables and settings, or all of it. */
export interface Disturbance {
  readonly fault: string;
  readonly reach: 'variables' | 'everything';
  /** It may run unseen text. */
  readonly runsUnseen: boolean;
}

/**
 * Why nothing can be proved about the rest of a script after this command. Builtins that change how later words are read, and
 * computed names: any of them could be such a builtin.
 */
export function findDisturbance(node: Command): Disturbance | undefined {
  if (!node.name) return undefined;
  const words = [node.name, ...node.suffix.filter((one) => one.type === 'Word')];
  const [name, ...rest] = words.map(readPlain);
  if (name === undefined) return everything('a command name is computed', false);
  if (name === 'command') return findBehindCommand(rest);
  if (name === 'read' && !rest.every((word) => word !== undefined && !/[[$`]/.test(word)))
    return variables(name, node);
  if (name === 'set')
    return rest.length > 0 && rest.every(isStrictOption) ? undefined : variables(name, node);
  if (everythingBuiltins.has(name))
    return everything(`${name} changes the meaning of the rest`, name === 'eval' && hasComputed(rest));
  return variableBuiltins.has(name) ? variables(name, node) : undefined;
}

/** The text of a word without expansions. */
export function readPlain(word: Word): string | undefined {
  if (word.parts === undefined) return word.value;
  const isPlain = word.parts.every(
    (part) =>
      ['Literal', 'SingleQuoted', 'AnsiCQuoted'].includes(part.type) ||
      (part.type === 'DoubleQuoted' && part.parts.every((child) => child.type === 'Literal')),
  );
  return isPlain ? word.value : undefined;
}

/** `command` runs builtins as well: only lookups, programs, and builtins that change nothing are accepted. */
function findBehindCommand(words: readonly (string | undefined)[]): Disturbance | undefined {
  const [flag] = words;
  if (flag !== undefined && /^-[vV]$/.test(flag)) return undefined;
  const inner = flag === '-p' ? words[1] : flag;
  if (inner === undefined) return everything('command runs a program whose name is computed', false);
  return inner.startsWith('-') || (builtins.has(inner) && !idleBuiltins.has(inner))
    ? everything(`command ${inner} runs a shell builtin`, false)
    : undefined;
}

/** These only stop a script early, or print what it runs. */
function isStrictOption(text: string | undefined): boolean {
  return text !== undefined && /^(?:-[eux]+o?|-o|pipefail|errexit|nounset)$/.test(text);
}

function everything(fault: string, runsUnseen: boolean): Disturbance {
  return { fault, reach: 'everything', runsUnseen };
}

/** A subscript, or a value that is read as a number, is evaluated: anything in it would run. */
function variables(name: string, node: Command): Disturbance {
  const runsUnseen = node.suffix.some((one) => {
    if (one.type !== 'Word') return one.type === 'Assignment' && /[[`]|\$\(/.test(one.text);
    const text = readPlain(one);
    return text === undefined || /[[`]|\$\(|^-[A-Za-z]*[ni]/.test(text);
  });
  return { fault: `${name} changes how the rest is read`, reach: 'variables', runsUnseen };
}

function hasComputed(words: readonly (string | undefined)[]): boolean {
  return words.some((word) => word === undefined);
}

const split = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** After these any name may run anything, anywhere. */
const everythingBuiltins = split(
  'eval builtin source . trap alias unalias exec enable hash pushd popd dirs chdir coproc fc bind complete compopt compgen',
);
/** These change variables, options or arguments. */
const variableBuiltins = split(
  'export declare typeset readonly local let unset mapfile readarray getopts shopt set history',
);
/** They leave no trace in the shell. */
const idleBuiltins = split('echo printf pwd test [ true false : type');
const builtins: ReadonlySet<string> = new Set([
  ...everythingBuiltins,
  ...variableBuiltins,
  ...idleBuiltins,
  ...split(
    'cd read break continue exit return shift wait command kill umask ulimit jobs fg bg disown times help caller logout suspend',
  ),
]);
