import { join } from 'node:path';
import { describeFileError, ensurePrivateDirectory } from '../lib/files/files.ts';
import { readSmallText, writeNew } from '../lib/files/small-files.ts';
import type { Machine } from '../lib/machine.ts';
import { fail, getErrorCode, ok, type Result } from '../lib/result.ts';
import type { TeamPlace } from './team-place.ts';

/** The first for the leader. */
export const palette = ['cyan', 'green', 'yellow', 'purple', 'blue', 'orange', 'pink', 'red'] as const;

/**
 * A member's colour: always the same, and different from all others until the palette is used up. One file per colour, made by
 * the first member that takes it.
 */
export function takeColour(place: TeamPlace, member: string, { disk }: Machine): Result<string> {
  const directory = join(place.members, 'colours');
  const made = ensurePrivateDirectory(directory, disk);
  if (!made.ok) return made;
  for (const colour of palette) {
    const path = join(directory, colour);
    try {
      writeNew(path, `${member}\n`, disk);
      return ok(colour);
    } catch (error) {
      if (getErrorCode(error) !== 'EEXIST') return fail(describeFileError(error, path, 'write'));
      if (readSmallText(path, 200, disk)?.trim() === member) return ok(colour);
    }
  }
  return ok(spread(member));
}

/** Any of them, but always the same for one name. */
function spread(member: string): string {
  let sum = 0;
  for (const character of member) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return palette[sum % palette.length] ?? palette[0];
}
