import { join } from 'node:path';
import { describeFileError } from '../../lib/files/files.ts';
import { readSmallText, removeQuietly, writeNew } from '../../lib/files/small-files.ts';
import { formatProcessName } from '../../lib/files/temporary-names.ts';
import type { Machine } from '../../lib/machine.ts';
import { fail, failure, getErrorCode, ok, type Result } from '../../lib/result.ts';
import type { TeamPlace } from '../team-place.ts';

/**
 * The key that mail of members is signed with. It is in Cadre's own directory, which confined commands do not see: what they,
 * or other programs, put into a box cannot carry the proof of a member.
 */
export function readMailKey(place: TeamPlace, { disk }: Machine): Result<string> {
  const path = locateKey(place);
  const key = readSmallText(path, maxKeyBytes, disk)?.trim();
  if (key !== undefined && isKey(key)) return ok(key);
  return failure(
    `${path} is missing or damaged: mail of team ${place.name} cannot be signed or checked.`,
    `End the team (cadre team end ${place.name}) and create it again.`,
  );
}

/** Made once per team; of several processes one wins, and all have the same. */
export function makeMailKey(place: TeamPlace, machine: Machine): Result<string> {
  const { disk, ids } = machine;
  const path = locateKey(place);
  const aside = `${path}.${formatProcessName(machine.self(), ids)}.new`;
  try {
    writeNew(aside, `${ids.token(keyLength)}\n`, disk);
    disk.link(aside, path);
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') return fail(describeFileError(error, path, 'write'));
  } finally {
    removeQuietly(aside, disk);
  }
  return readMailKey(place, machine);
}

function locateKey({ directory }: TeamPlace): string {
  return join(directory, 'key');
}

/** Five bits each. */
const keyLength = 52;
const maxKeyBytes = 200;

function isKey(text: string): boolean {
  return /^[a-z0-9]{1,100}$/.test(text);
}
