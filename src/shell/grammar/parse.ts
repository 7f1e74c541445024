import { parse } from 'unbash';
import { type Surroundings, Walker } from '../walk/walk.ts';
import { faultOfText } from './check-text.ts';
import type { Dialect } from './dialect.ts';
import type { ParsedShell } from './types.ts';

export interface Place {
  readonly cwd: string;
  readonly home: string;
  homeOf?(user: string): string | undefined;
  readonly dialect?: Dialect;
}

const deepest = 12;
/** Scripts inside scripts may contain each other's text twice. */
const maxNested = 200;

/** Every simple command that a script could run, and why it is not fully known, if it is not. */
export function parseShell(command: string, place: Place): ParsedShell {
  const fault = faultOfText(command);
  if (fault) return unread(fault);
  const budget = { left: maxNested };
  const around: Omit<Surroundings, 'nested'> = {
    home: place.home,
    homeOf: place.homeOf ?? (() => undefined),
    directories: [place.cwd],
    takesNames: undefined,
    dialect: place.dialect ?? 'bash',
    depth: 0,
  };
  try {
    return parseScript(command, around, budget);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return unread('it is nested too deeply');
  }
}

function parseScript(
  text: string,
  around: Omit<Surroundings, 'nested'>,
  budget: { left: number },
): ParsedShell {
  const script = parse(text);
  const nested: Surroundings['nested'] = (inside, from, walker, how) => {
    if (around.depth >= deepest || budget.left-- <= 0) {
      walker.addUnread('it contains too many nested scripts');
      return [];
    }
    const { directories, takesNames } = from;
    const parsed = parseScript(
      inside,
      {
        ...{ home: around.home, homeOf: around.homeOf, directories, takesNames, depth: around.depth + 1 },
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
