import { Steps } from '../walk/steps.ts';
import { Walker, type WalkSurroundings } from '../walk/walk.ts';
import { findTextFault } from './check-text.ts';
import type { ShellDialect } from './dialect.ts';
import { parseText } from './parse-text.ts';
import type { ParsedShell } from './types.ts';

export interface ParsePlace {
  readonly cwd: string;
  readonly home: string;
  findHome?(user: string): string | undefined;
  readonly dialect?: ShellDialect;
}

const maxDepth = 12;
/** Scripts inside scripts may contain each other's text twice. */
const maxNested = 200;

/** Every simple command that a script could run, and why it is not fully known, if it is not. */
export function parseShell(command: string, place: ParsePlace): ParsedShell {
  const fault = findTextFault(command);
  if (fault) return unread(fault);
  const budget = { left: maxNested };
  const around: Omit<WalkSurroundings, 'nested'> = {
    home: place.home,
    findHome: place.findHome ?? (() => undefined),
    directories: [place.cwd],
    takesNames: undefined,
    dialect: place.dialect ?? 'bash',
    depth: 0,
    steps: new Steps(),
  };
  try {
    const parsed = parseScript(command, around, budget);
    return around.steps.areSpent ? unread('it is too long to judge') : parsed;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return unread('it is nested too deeply');
  }
}

function parseScript(
  text: string,
  around: Omit<WalkSurroundings, 'nested'>,
  budget: { left: number },
): ParsedShell {
  const script = parseText(text);
  const nested: WalkSurroundings['nested'] = (inside, from, walker, how) => {
    if (around.depth >= maxDepth || budget.left-- <= 0) {
      walker.addUnread('it contains too many nested scripts');
      return [];
    }
    // Text in quotes out there is a script in here.
    const fault = how === 'guess' ? undefined : findTextFault(inside);
    if (fault !== undefined) {
      walker.addUnread(fault);
      return [];
    }
    const { directories, takesNames } = from;
    const parsed = parseScript(
      inside,
      {
        ...{ home: around.home, findHome: around.findHome, directories, takesNames },
        ...{ depth: around.depth + 1, steps: around.steps },
        dialect: how === 'guess' ? around.dialect : how,
      },
      budget,
    );
    if (how === 'guess') return [...parsed.commands];
    // Processes it leaves running outlive the command that is being read.
    if (parsed.overlaps.some(({ until }) => until === Infinity)) walker.order.addLeft();
    walker.isUnread ||= parsed.isUnread;
    walker.runsUnseen ||= parsed.runsUnseen;
    for (const problem of parsed.problems) walker.problems.add(problem);
    return [...parsed.commands];
  };
  const walker = new Walker(text, { ...around, nested });
  walker.visit(script);
  return {
    commands: walker.commands,
    overlaps: walker.order.overlaps,
    problems: [...walker.problems],
    isUnread: walker.isUnread,
    runsUnseen: walker.runsUnseen,
  };
}

function unread(problem: string): ParsedShell {
  return { commands: [], overlaps: [], problems: [problem], isUnread: true, runsUnseen: true };
}
