import type { Machine } from '../../lib/machine.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { MailMessage, MailState } from '../../protocol/team.ts';
import type { TeamPlace } from '../team-place.ts';
import { listBoxes, stateDirectories } from './box-place.ts';
import { readMailKey } from './mail-key.ts';
import { listMailFiles, readMailFile } from './read-box.ts';

export interface ListedMail {
  message: MailMessage;
  state: MailState;
}

/** All mail of a team or of one box that is still kept, in the order of time. Nothing is moved: whoever reads it changes nothing. */
export function listMail(place: TeamPlace, machine: Machine, owner?: string): Result<ListedMail[]> {
  const key = readMailKey(place, machine);
  if (!key.ok) return key;
  const owners = owner === undefined ? listBoxes(place, machine) : [owner];
  // By id: a message may be moved between two listings, and is then in the later state.
  const found = new Map<string, ListedMail>();
  for (const one of owners)
    for (const state of ['written', 'delivered', 'read', 'void'] as const) {
      const box = { place, owner: one, key: key.value, machine };
      for (const file of listMailFiles(box, stateDirectories[state])) {
        const read = readMailFile(box, stateDirectories[state], file);
        if (typeof read === 'object' && read.ok)
          found.set(`${one} ${read.value.id}`, { message: read.value, state });
      }
    }
  return ok([...found.values()].sort(compareMail));
}

function compareMail({ message: one }: ListedMail, { message: other }: ListedMail): number {
  const byTime = Date.parse(one.sentAt) - Date.parse(other.sentAt);
  return byTime !== 0 || one.from !== other.from ? byTime : one.order - other.order;
}

/** How many messages of a box are in each state. */
export function countMail(place: TeamPlace, owner: string, machine: Machine): Record<MailState, number> {
  const box = { place, owner, key: '', machine };
  const count = (state: MailState) =>
    listMailFiles(box, stateDirectories[state]).filter((name) => !name.endsWith('.reason')).length;
  return {
    written: count('written'),
    delivered: count('delivered'),
    read: count('read'),
    void: count('void'),
    quarantined: count('quarantined'),
  };
}
