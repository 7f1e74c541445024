import type { Ceiling, Role } from '../places/types.ts';
import { isWithin } from '../workspace/paths.ts';

export const openCeiling: Ceiling = { denied: [], writes: 'any', shell: 'any' };

/** Plan mode: nothing is written except the plan file, if there is one. */
export function planCeiling(planFile?: string): Ceiling {
  return { denied: [], writes: planFile === undefined ? 'none' : { only: [planFile] }, shell: 'ask' };
}

/** The role of the lead and of every agent without a narrower one. */
export const fullRole: Role = { tools: '*', denied: [], shell: 'full', writes: true };

/** Refuses everything that either one refuses. */
export function narrowCeiling(a: Ceiling, b: Ceiling): Ceiling {
  return {
    denied: [...a.denied, ...b.denied],
    writes: narrowWrites(a.writes, b.writes),
    shell: a.shell === 'none' || b.shell === 'none' ? 'none' : a.shell === 'ask' ? 'ask' : b.shell,
    ...narrowTools(a.tools, b.tools),
  };
}

function narrowTools(a: Ceiling['tools'], b: Ceiling['tools']): Pick<Ceiling, 'tools'> {
  const tools = a && b ? a.filter((name) => b.includes(name)) : (a ?? b);
  return tools ? { tools } : {};
}

/** For a path that a command names: judged as a tool for it would be, even if the agent does not have that tool. */
export function withoutToolLimit({ tools: _, ...ceiling }: Ceiling): Ceiling {
  return ceiling;
}

function narrowWrites(a: Ceiling['writes'], b: Ceiling['writes']): Ceiling['writes'] {
  if (a === 'any') return b;
  if (b === 'any') return a;
  if (a === 'none' || b === 'none') return 'none';
  const inBoth = (path: string, other: readonly string[]) => other.some((outer) => isWithin(path, outer));
  const only = [
    ...a.only.filter((path) => inBoth(path, b.only)),
    ...b.only.filter((path) => inBoth(path, a.only)),
  ];
  return { only: [...new Set(only)] };
}
