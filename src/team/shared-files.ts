import { join } from 'node:path';
import { type Clock, timestamp } from '../lib/clock.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import { parseJson } from '../lib/fields/parse-json.ts';
import { writeAtomic } from '../lib/files/atomic.ts';
import { ensurePrivateDirectory } from '../lib/files/files.ts';
import { readSmallText, removeQuietly } from '../lib/files/small-files.ts';
import { formatProcessName } from '../lib/files/temporary-names.ts';
import { hashBytes } from '../lib/hash.ts';
import { claimLease, lookAtLease } from '../lib/leases/claim-lease.ts';
import { findKeeper } from '../lib/leases/keeper.ts';
import type { HeldLease } from '../lib/leases/lease.ts';
import type { Machine } from '../lib/machine.ts';
import type { LeaseConflict } from '../protocol/lease.ts';
import type { SharedLeases } from '../workspace/leases.ts';
import type { TeamPlace } from './team-place.ts';

export interface SharedFilesOptions {
  place: TeamPlace;
  machine: Machine;
  clock: Clock;
  /** The member that an agent of this process is, or works for. */
  nameHolder(agentId: string | null): string;
}

export interface SharedFiles extends SharedLeases {
  /** Gives back everything that this process holds. */
  close(): void;
}

/**
 * One writer per file for all processes of a team (TM17): a process holds a lease on disk for each file that one of its agents has. No
 * process has to ask another, so it holds while the leader is dead; a lease ends with its process.
 */
export function openSharedFiles({ place, machine, clock, nameHolder }: SharedFilesOptions): SharedFiles {
  const leases = { directory: join(place.directory, 'files'), machine };
  const held = new Map<string, HeldLease>();
  const describe = (path: string): LeaseConflict => readHolder(locate(path), path, machine);
  const locate = (path: string) => join(leases.directory, `${nameLease(path)}.holder`);
  const drop = (path: string) => {
    const lease = held.get(path);
    if (!lease) return;
    held.delete(path);
    findKeeper(clock).drop(lease);
    if (lease.check()) removeQuietly(locate(path), machine.disk);
    lease.release();
  };
  return {
    look(path) {
      if (held.has(path)) return undefined;
      return lookAtLease(leases, nameLease(path))?.state === 'held' ? describe(path) : undefined;
    },
    take(path, holder) {
      if (held.get(path)?.check()) return undefined;
      // Where nothing can be written, no other process could be kept away either.
      if (!ensurePrivateDirectory(leases.directory, machine.disk).ok) return undefined;
      const claimed = claimLease(leases, nameLease(path));
      if (!claimed.ok) return undefined;
      if (claimed.value.state === 'held') return describe(path);
      const { lease } = claimed.value;
      held.set(path, lease);
      findKeeper(clock).keep(lease);
      const content = {
        path,
        member: nameHolder(holder.agentId),
        type: holder.type,
        since: timestamp(clock),
      };
      const ending = `${formatProcessName(machine.self(), machine.ids)}.new`;
      writeAtomic(locate(path), `${JSON.stringify(content)}\n`, 0o600, ending, undefined, machine.disk);
      return undefined;
    },
    drop,
    close() {
      for (const path of [...held.keys()]) drop(path);
    },
  };
}

function nameLease(path: string): string {
  return `file-${hashBytes(path).slice(0, 32)}`;
}

const maxHolderBytes = 64 * 1024;

/** Who holds it, as the holder wrote; a member of the team where that cannot be read yet. */
function readHolder(file: string, path: string, { disk }: Machine): LeaseConflict {
  const found = parseJson(readSmallText(file, maxHolderBytes, disk) ?? '');
  const { member, type, since } = isRecord(found) ? found : {};
  return {
    path,
    holder: {
      agentId: typeof member === 'string' ? member : 'a member in another process',
      type: typeof type === 'string' ? type : 'teammate',
    },
    since: typeof since === 'string' ? since : '',
    writes: 1,
  };
}
