import { join } from 'node:path';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { isThere, listQuietly } from '../../lib/files/small-files.ts';
import type { Machine } from '../../lib/machine.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import type { MailMessage, MailState } from '../../protocol/team.ts';
import { isAddress } from '../names.ts';
import type { TeamPlace } from '../team-place.ts';

/** The state of a message is the directory that it is in: moving it is the acknowledgement. */
export const stateDirectories = {
  written: 'new',
  delivered: 'delivered',
  read: 'read',
  void: 'void',
  quarantined: 'quarantine',
} as const satisfies Record<MailState, string>;

/** Messages are written in `tmp` first. */
const directories = ['tmp', ...Object.values(stateDirectories)];

/** A box with all of its directories. */
export function makeBox(place: TeamPlace, owner: string, { disk }: Machine): Result<void> {
  if (!isAddress(owner))
    return failure(`"${owner}" is not an address: expected a member's name, user or program:NAME.`);
  for (const name of directories) {
    const made = ensurePrivateDirectory(join(place.box(owner), name), disk);
    if (!made.ok) return made;
  }
  return ok(undefined);
}

/** Names of those who have a box. */
export function listBoxes(place: TeamPlace, { disk }: Machine): string[] {
  return listQuietly(join(place.directory, 'mail'), disk).filter(isAddress).sort();
}

export function hasBox(place: TeamPlace, owner: string, { disk }: Machine): boolean {
  return isAddress(owner) && isThere(join(place.box(owner), 'new'), disk);
}

/**
 * The name of a message in `new/`. Names are sorted as text, so those of one sender are in order, and a look need not read a
 * whole full box.
 */
export function nameNew({ order, id }: Pick<MailMessage, 'order' | 'id'>): string {
  return `${order.toString().padStart(16, '0')}-${id}.json`;
}

/** The id in such a name; undefined for a file that another program named. */
export function readIdInName(name: string): string | undefined {
  return ourName.exec(name)?.[1];
}

const ourName = /^\d{16}-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.json$/;
