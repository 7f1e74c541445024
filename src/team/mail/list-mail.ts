import type { Machine } from '../../lib/machine.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { MailMessage, MailState } from '../../protocol/team.ts';
import type { TeamPlace } from '../team-place.ts';
import { listBoxes, readIdInName, stateDirectories } from './box-place.ts';
import { readMailKey } from './mail-key.ts';
import { type BoxFiles, listMailFiles, readMailFile } from './read-box.ts';

export interface ListedMail {
  message: MailMessage;
  state: MailState;
}

/** All mail of a team or of one box that is still kept, in the order of time. Nothing is moved: whoever reads it changes nothing. */
export function listMail(place: TeamPlace, machine: Machine, owner?: string): Result<ListedMail[]> {
  return new MailList(place, machine).list(owner);
}

/** For one who looks again and again: a message is read once, and followed by the name of its file from then on. */
export class MailList {
  /** By box and id. */
  #known = new Map<string, ListedMail>();

  constructor(
    private readonly place: TeamPlace,
    private readonly machine: Machine,
  ) {}

  list(owner?: string): Result<ListedMail[]> {
    const key = readMailKey(this.place, this.machine);
    if (!key.ok) return key;
    const owners = owner === undefined ? listBoxes(this.place, this.machine) : [owner];
    // By id: a message may be moved between two listings, and is then in the later state.
    const found = new Map<string, ListedMail>();
    for (const one of owners)
      for (const state of ['written', 'delivered', 'read', 'void'] as const) {
        const box = { place: this.place, owner: one, key: key.value, machine: this.machine };
        for (const file of listMailFiles(box, stateDirectories[state])) {
          const message = this.#read(box, state, file);
          if (message) found.set(`${one} ${message.id}`, { message, state });
        }
      }
    this.#known = found;
    return ok([...found.values()].sort(compareMail));
  }

  #read(box: BoxFiles, state: MailState, file: string): MailMessage | undefined {
    const id = readIdInName(file) ?? file.replace(/\.json$/, '');
    const known = this.#known.get(`${box.owner} ${id}`);
    if (known) return known.message;
    const read = readMailFile(box, stateDirectories[state], file);
    return typeof read === 'object' && read.ok ? read.value : undefined;
  }
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
