import { literalOf, namesOf, type SimpleCommand, type Value } from './types.ts';
import { isHarmlessName } from './variables.ts';

/** What `read` puts into variables: names of files where nothing but those comes in, and each stays in one piece. */
export function readVariables(command: SimpleCommand): { name: string; values: Value[] | undefined }[] {
  const [first, ...rest] = command.words.map(literalOf);
  if (first !== 'read') return [];
  const names = rest.filter((text) => text !== undefined && isHarmlessName(text));
  const { takesNames, assignments } = command;
  const separators = assignments.filter(({ name }) => name === 'IFS').map(({ word }) => literalOf(word));
  const options = rest.filter((text) => text?.startsWith('-') === true);
  const isOne = rest.length === options.length + 1 && options.every((text) => text === '-r');
  // Without a separator a line stays as it is; by blanks it loses those at its ends.
  const taken = options.length > 0 && separators.at(-1) === '' ? 'line' : 'xargs';
  const isKnown = takesNames && isOne && separators.every((text) => text === '');
  return names.map((name) => ({
    name: name ?? '',
    values: isKnown ? [namesOf(takesNames, taken)] : undefined,
  }));
}
