import { visibleLine } from '../../../lib/text/text.ts';
import type { WorkerSetup } from './read-setup.ts';

/** Programs and variables as commands of a job will find them. */
export interface CommandWorld {
  readonly variables: Readonly<Record<string, string>>;
  /** Names of variables that are set, and withheld from commands. */
  readonly heldBack: readonly string[];
  /** What a program prints about its version; undefined if it does not exist. */
  askVersion(program: string): Promise<string | undefined>;
}

export interface Need {
  name: string;
  /** What was found, or what is wrong. */
  text: string;
  isMet: boolean;
  /** The version that was found. */
  version?: string;
}

/** Everything that a repository asks for, and whether it is here. */
export async function checkNeeds(
  { tools = {}, variables = [] }: WorkerSetup,
  world: CommandWorld,
): Promise<Need[]> {
  const checked = Object.entries(tools).map(([name, wanted]) => checkTool(name, wanted, world));
  return [...(await Promise.all(checked)), ...variables.map((name) => checkVariable(name, world))];
}

async function checkTool(name: string, wanted: string, world: CommandWorld): Promise<Need> {
  const said = await world.askVersion(name);
  if (said === undefined) return { name, isMet: false, text: `${name} ${wanted} is missing` };
  const version = /\d+(?:\.\d+)*/.exec(said)?.[0];
  const found = version === undefined ? {} : { version };
  if (wanted === '*') return { name, isMet: true, text: version ?? 'found', ...found };
  if (version === undefined)
    return {
      name,
      isMet: false,
      text: `${name} ${wanted} is needed, and its version here is not known: ${visibleLine(said, 80)}`,
    };
  return fitsVersion(version, wanted)
    ? { name, isMet: true, text: version, ...found }
    : { name, isMet: false, text: `${name} ${wanted} is needed, and ${version} was found`, ...found };
}

/** `22` and `22.1` mean any version that begins so. */
export function fitsVersion(found: string, wanted: string): boolean {
  const isLeast = wanted.startsWith('>=');
  const parts = wanted.replace('>=', '').split('.').map(Number);
  const have = found.split('.').map(Number);
  for (const [at, part] of parts.entries()) {
    const own = have[at] ?? 0;
    if (own !== part) return isLeast && own > part;
  }
  return true;
}

function checkVariable(name: string, { variables, heldBack }: CommandWorld): Need {
  if (variables[name] !== undefined) return { name, isMet: true, text: 'set' };
  return {
    name,
    isMet: false,
    text: heldBack.includes(name)
      ? `the variable ${name} is set and withheld from commands; allow it with environment.allow in the worker's settings`
      : `the variable ${name} is not set`,
  };
}
