import { buildFoundNames, readLiteral, type SimpleCommand, type Value } from '../grammar/types.ts';
import { isHarmlessName } from './variables.ts';

/**
 * The variable that `read` gives a whole line, and its values while lines come in; undefined for every other form. Only file
 * names that a search found are known, and only where each stays in one piece.
 */
export function readLine(command: SimpleCommand): { name: string; values: readonly Value[] } | undefined {
  const [first, ...rest] = command.words.map(readLiteral);
  const { takesNames, assignments } = command;
  const name = rest.at(-1);
  const options = rest.slice(0, -1);
  if (first !== 'read' || !takesNames || takesNames.zero || name === undefined || !isHarmlessName(name))
    return undefined;
  if (!options.every((text) => text === '-r')) return undefined;
  if (!assignments.every((one) => one.name === 'IFS' && readLiteral(one.word) === '')) return undefined;
  // Without a separator a line stays as it is; with blanks it loses those at its ends.
  const taken = options.length === 0 ? 'xargs' : assignments.length > 0 ? 'line' : 'trimmed';
  return { name, values: buildFoundNames(takesNames, taken) };
}
