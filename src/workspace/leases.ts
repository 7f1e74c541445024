import { type Clock, timestamp } from '../lib/clock.ts';
import { statEntryPrecisely } from '../lib/files/entry-at.ts';
import { ok, type Result } from '../lib/result.ts';
import type { Lease, LeaseConflict, LeaseHolder } from '../protocol/lease.ts';
import { isWithin } from './paths.ts';

/**
 * One writer per file. A file belongs to an agent from its first write until its run ends. An agent that was started by
 * another agent, or got a message from it, may continue with the files that the other wrote before: the work was handed over,
 * and an agent is never kept from work it was given. Reading takes no lease.
 */
export interface Leases {
  /** An agent has started. `teller`: the agent that gave it its work; undefined for the lead. */
  enter(holder: LeaseHolder, teller?: string | null): void;
  /** It got another message: files that the teller has written so far are handed over as well. */
  told(agentId: string, teller: string | null): void;
  /** Its run is over, however it ended. */
  leave(agentId: string | null): void;
  conflict(agentId: string | null, path: string): LeaseConflict | undefined;
  take(
    agentId: string | null,
    path: string,
    before: string | null | undefined,
  ): Result<LeaseHold, LeaseConflict>;
  /** Leases of all agents, or of one. */
  list(agentId?: string | null): Lease[];
  /** Files that an agent was refused in its last run and that another one still has. */
  listRefused(): RefusedLease[];
}

export interface RefusedLease {
  agentId: string | null;
  since: string;
  lease: Lease;
}

export interface LeaseHold {
  written(): void;
  /** Releases it, unless it existed before or the file was written meanwhile. */
  notWritten(): void;
}

/** Leases that other processes respect, too. */
export interface SharedLeases {
  /** Another process has it. */
  look(path: string): LeaseConflict | undefined;
  /** Takes it for this process; who has it, if another process does. */
  take(path: string, holder: LeaseHolder): LeaseConflict | undefined;
  /** No agent of this process has it any more. */
  drop(path: string): void;
}

export interface LeaseOptions {
  clock: Clock;
  /** Undefined while there are no other processes. Looked up at every use. */
  shared?: () => SharedLeases | undefined;
  /** Directories in which nothing is leased. */
  free?: readonly string[];
  /** The leases of an agent have changed. */
  changed?(agentId: string | null): void;
}

interface Agent {
  holder: LeaseHolder;
  /** The moment up to which it knows the work of others. */
  knows: Map<string | null, number>;
}

interface Hold {
  agent: Agent;
  path: string;
  /** The moment of its latest write. */
  moment: number;
  since: string;
  writes: number;
  pending: number;
  before: string | null | undefined;
}

/** Longer texts are not kept just for a message. */
const maxKept = 128 * 1024;

/** The leases of one process. Everything is synchronous, so of two agents in the same tick one is first. */
export function openLeases({ clock, shared, free = [], changed = () => {} }: LeaseOptions): Leases {
  const agents = new Map<string | null, Agent>();
  const holds = new Map<string, Hold[]>();
  /** The last one of each agent. */
  const refused = new Map<string | null, { path: string; since: string }>();
  let moment = 0;

  const isLent = ({ agent, moment: written }: Hold, agentId: string | null) =>
    (agents.get(agentId)?.knows.get(agent.holder.agentId) ?? -1) >= written;
  const others = (agentId: string | null, path: string) =>
    listLeaseNames(path, holds).flatMap((name) =>
      (holds.get(name) ?? []).filter((hold) => hold.agent.holder.agentId !== agentId),
    );
  const conflict = (agentId: string | null, path: string): LeaseConflict | undefined => {
    const found = others(agentId, path).findLast((hold) => !isLent(hold, agentId));
    if (!found) return shared?.()?.look(path);
    return { ...buildLease(found), ...(found.before === undefined ? {} : { before: found.before }) };
  };
  const refuse = (agentId: string | null, path: string) => {
    const found = isFree(path, free) ? undefined : conflict(agentId, path);
    if (found) refused.set(agentId, { path, since: timestamp(clock) });
    return found;
  };
  const tell = (agent: Agent, teller: string | null) => {
    for (const [id, known] of agents.get(teller)?.knows ?? [])
      agent.knows.set(id, Math.max(known, agent.knows.get(id) ?? 0));
    agent.knows.set(teller, moment++);
  };
  const drop = (hold: Hold) => {
    const left = (holds.get(hold.path) ?? []).filter((one) => one !== hold);
    if (left.length > 0) holds.set(hold.path, left);
    else {
      holds.delete(hold.path);
      shared?.()?.drop(hold.path);
    }
  };

  return {
    enter(holder, teller) {
      const agent: Agent = { holder, knows: new Map() };
      agents.set(holder.agentId, agent);
      refused.delete(holder.agentId);
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
    conflict: refuse,
    take(agentId, path, before) {
      const agent = agents.get(agentId);
      if (isFree(path, free)) return ok(noHold);
      const found = refuse(agentId, path);
      if (found) return { ok: false, problem: found };
      // Between its runs an agent has no leases; whether it may write at all is decided elsewhere.
      if (!agent) return ok(noHold);
      const elsewhere = shared?.()?.take(path, agent.holder);
      if (elsewhere) return { ok: false, problem: elsewhere };
      const own = (holds.get(path) ?? []).find((hold) => hold.agent === agent);
      const hold = own ?? { ...{ agent, path, moment, writes: 0, pending: 0 }, ...opening(clock, before) };
      if (!own) holds.set(path, [...(holds.get(path) ?? []), hold]);
      if (refused.get(agentId)?.path === path) refused.delete(agentId);
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
    listRefused: () =>
      [...refused].flatMap(([agentId, { path, since }]) => {
        const lease = conflict(agentId, path);
        return lease ? [{ agentId, since, lease }] : [];
      }),
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

/** The names under which a file is leased: its own, and with hard links the others of the same file. */
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
