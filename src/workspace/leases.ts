import { type Clock, timestamp } from '../lib/clock.ts';
import { statEntryPrecisely } from '../lib/files/entry-at.ts';
import { ok, type Result } from '../lib/result.ts';
import type { Lease, LeaseConflict, LeaseHolder } from '../protocol/lease.ts';
import { isWithin } from './paths.ts';

/**
 * One writer per file. A file is an agent's from its first write until its run ends. Who was told something by an
 * agent (started by it, or written to) may go on with what that agent wrote before: that is handing work over, and
 * nobody who works for another is kept from what it was given. Reading takes no lease.
 */
export interface Leases {
  /** An agent is there. `teller`: who gave it its work; undefined for the lead. */
  enter(holder: LeaseHolder, teller?: string | null): void;
  /** It was told something else: what the teller has written so far is handed over as well. */
  told(agentId: string, teller: string | null): void;
  /** Its run is over, however it ended. */
  leave(agentId: string | null): void;
  conflict(agentId: string | null, path: string): LeaseConflict | undefined;
  take(
    agentId: string | null,
    path: string,
    before: string | null | undefined,
  ): Result<LeaseHold, LeaseConflict>;
  /** Everybody's, or one agent's. */
  list(agentId?: string | null): Lease[];
}

export interface LeaseHold {
  written(): void;
  /** Gives it back, unless it was there before or was written meanwhile. */
  notWritten(): void;
}

export interface LeaseOptions {
  clock: Clock;
  /** Directories in which nothing is leased. */
  free?: readonly string[];
  /** Somebody's leases are others than before. */
  changed?(agentId: string | null): void;
}

interface Agent {
  holder: LeaseHolder;
  /** Up to which moment it was told of the work of others. */
  knows: Map<string | null, number>;
}

interface Hold {
  agent: Agent;
  path: string;
  /** Of its latest write. */
  moment: number;
  since: string;
  writes: number;
  pending: number;
  before: string | null | undefined;
}

/** Longer texts are not kept for the sake of a message. */
const maxKept = 128 * 1024;

/** Those of one process. Everything is done at once, so that of two agents in the same tick one is first. */
export function openLeases({ clock, free = [], changed = () => {} }: LeaseOptions): Leases {
  const agents = new Map<string | null, Agent>();
  const holds = new Map<string, Hold[]>();
  let moment = 0;

  const isLent = ({ agent, moment: written }: Hold, agentId: string | null) =>
    (agents.get(agentId)?.knows.get(agent.holder.agentId) ?? -1) >= written;
  const others = (agentId: string | null, path: string) =>
    listLeaseNames(path, holds).flatMap((name) =>
      (holds.get(name) ?? []).filter((hold) => hold.agent.holder.agentId !== agentId),
    );
  const conflict = (agentId: string | null, path: string): LeaseConflict | undefined => {
    const found = others(agentId, path).findLast((hold) => !isLent(hold, agentId));
    return found && { ...buildLease(found), ...(found.before === undefined ? {} : { before: found.before }) };
  };
  const tell = (agent: Agent, teller: string | null) => {
    for (const [id, known] of agents.get(teller)?.knows ?? [])
      agent.knows.set(id, Math.max(known, agent.knows.get(id) ?? 0));
    agent.knows.set(teller, moment++);
  };
  const drop = (hold: Hold) => {
    const left = (holds.get(hold.path) ?? []).filter((one) => one !== hold);
    if (left.length > 0) holds.set(hold.path, left);
    else holds.delete(hold.path);
  };

  return {
    enter(holder, teller) {
      const agent: Agent = { holder, knows: new Map() };
      agents.set(holder.agentId, agent);
      if (teller !== undefined) tell(agent, teller);
    },
    told(agentId, teller) {
      const agent = agents.get(agentId);
      if (agent) tell(agent, teller);
    },
    leave(agentId) {
      agents.delete(agentId);
      const own = [...holds.values()].flat().filter(({ agent }) => agent.holder.agentId === agentId);
      for (const hold of own) drop(hold);
      if (own.some(({ writes }) => writes > 0)) changed(agentId);
    },
    conflict: (agentId, path) => (isFree(path, free) ? undefined : conflict(agentId, path)),
    take(agentId, path, before) {
      const agent = agents.get(agentId);
      if (isFree(path, free)) return ok(noHold);
      const found = conflict(agentId, path);
      if (found) return { ok: false, problem: found };
      // Between its runs an agent has nothing; that it may write at all is for others to say.
      if (!agent) return ok(noHold);
      const own = (holds.get(path) ?? []).find((hold) => hold.agent === agent);
      const hold = own ?? { ...{ agent, path, moment, writes: 0, pending: 0 }, ...opening(clock, before) };
      if (!own) holds.set(path, [...(holds.get(path) ?? []), hold]);
      hold.pending++;
      hold.moment = moment++;
      return ok({
        written() {
          hold.pending--;
          if (hold.writes++ === 0) changed(agentId);
        },
        notWritten() {
          if (--hold.pending === 0 && hold.writes === 0) drop(hold);
        },
      });
    },
    list: (agentId) =>
      [...holds.values()]
        .flat()
        .filter(
          ({ agent, writes }) => writes > 0 && (agentId === undefined || agent.holder.agentId === agentId),
        )
        .map(buildLease),
  };
}

const noHold: LeaseHold = { written() {}, notWritten() {} };

function isFree(path: string, free: readonly string[]): boolean {
  return free.some((directory) => isWithin(path, directory));
}

function opening(clock: Clock, before: string | null | undefined): Pick<Hold, 'since' | 'before'> {
  const isShort = before === null || (before !== undefined && before.length <= maxKept);
  return { since: timestamp(clock), before: isShort ? before : undefined };
}

function buildLease({ path, agent, since, writes }: Hold): Lease {
  return { path, holder: agent.holder, since, writes };
}

/** The names under which a file is leased: its own, and with hard links those of the same file. */
function listLeaseNames(path: string, holds: ReadonlyMap<string, unknown>): string[] {
  if (holds.size === 0) return [];
  const stat = statEntryPrecisely(path);
  if (!stat || stat.nlink < 2n) return [path];
  const isSame = (name: string) => {
    const other = statEntryPrecisely(name);
    return other?.ino === stat.ino && other.dev === stat.dev;
  };
  return [...new Set([path, ...[...holds.keys()].filter(isSame)])];
}
