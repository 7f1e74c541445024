import { type ParsedScript, parse } from 'unbash';
import { findUnaccounted } from './account.ts';

/** The tree of a script. Text that the parser overlooked makes it one that cannot be parsed. */
export function parseText(text: string): ParsedScript {
  const script = parse(text);
  if (script.errors?.length) return script;
  const rest = findUnaccounted(text, script);
  if (rest === undefined) return script;
  const message = `${JSON.stringify(rest)} is not where it could be read`;
  return { ...script, errors: [{ message, pos: 0 }] };
}
