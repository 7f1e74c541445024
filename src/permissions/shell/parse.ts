import { parse } from 'unbash';
import { faultOfText } from './check-text.ts';
import type { ParsedShell } from './types.ts';
import { Variables } from './variables.ts';
import { type Surroundings, Walker } from './walk.ts';

export interface Place {
  readonly cwd: string;
  readonly home: string;
}

const deepest = 12;
/** Scripts inside scripts may hold each other's text twice. */
const mostNested = 200;

/** Every simple command that a script could run, and why it is not known as a whole, if it is not. */
export function parseShell(command: string, place: Place): ParsedShell {
  const fault = faultOfText(command);
  if (fault) return unread(fault);
  const budget = { left: mostNested };
  const around: Omit<Surroundings, 'nested'> = {
    home: place.home,
    directories: [place.cwd],
    takesNames: undefined,
    depth: 0,
  };
  try {
    return parseScript(command, around, new Variables(), budget);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return unread('it is nested too deeply');
  }
}

function parseScript(
  text: string,
  around: Omit<Surroundings, 'nested'>,
  variables: Variables,
  budget: { left: number },
): ParsedShell {
  const script = parse(text);
  const nested: Surroundings['nested'] = (inside, from, walker, how) => {
    if (around.depth >= deepest || budget.left-- <= 0) {
      walker.addUnread('it holds too many scripts inside scripts');
      return [];
    }
    const { directories, takesNames } = from;
    const parsed = parseScript(
      inside,
      { home: around.home, directories, takesNames, depth: around.depth + 1 },
      how === 'shared' ? walker.variables : new Variables(),
      budget,
    );
    if (how === 'guess') return [...parsed.commands];
    walker.isUnread ||= parsed.isUnread;
    for (const problem of parsed.problems) walker.problems.add(problem);
    for (const name of parsed.functions) walker.functions.add(name);
    return [...parsed.commands];
  };
  // Nothing to know of variables where none is used, or none is set.
  const isUsed = /\$|\(\(|\[\[/.test(text) && /=|\(\(|\b(?:for|read|select)\b/.test(text);
  if (isUsed) new Walker(text, { ...around, nested }, variables, true).visit(script);
  const walker = new Walker(text, { ...around, nested }, variables, false);
  walker.visit(script);
  walker.checkFunctions();
  return {
    commands: walker.commands,
    problems: [...walker.problems],
    isUnread: walker.isUnread,
    functions: walker.functions,
  };
}

function unread(problem: string): ParsedShell {
  return { commands: [], problems: [problem], isUnread: true, functions: new Set() };
}
