/** A prompt that begins with commands: their names, and the rest of the prompt, which is for all of them. */
export interface Slash {
  names: string[];
  args: string;
}

export const maxStacked = 6;

/**
 * Undefined if a prompt does not begin with a command. A path is not a command: `/usr/bin/env` continues after its
 * first name.
 */
export function parseSlash(text: string, isKnown: (name: string) => boolean): Slash | undefined {
  const first = readSlashName(text.trimStart());
  if (!first) return undefined;
  const names = [first.name];
  let { rest } = first;
  if (isKnown(first.name))
    for (let next = readSlashName(rest); next && isKnown(next.name); next = readSlashName(rest)) {
      if (names.length === maxStacked) break;
      names.push(next.name);
      rest = next.rest;
    }
  return { names, args: rest };
}

function readSlashName(text: string): { name: string; rest: string } | undefined {
  const [whole, name] = /^\/([\p{L}\p{N}_][\p{L}\p{N}_.:-]{0,200})(?=\s|$)\s*/u.exec(text) ?? [];
  return name === undefined || whole === undefined ? undefined : { name, rest: text.slice(whole.length) };
}
