import type { Roster } from '../agents/roster.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import { escapeHarnessTags } from '../lib/harness-tags.ts';
import type { AgentEvent, FileLeases } from '../protocol/index.ts';
import type { Inbox } from '../tasks/inbox.ts';
import { openFileLeases } from '../workspace/file-leases.ts';
import { type Leases, openLeases } from '../workspace/leases.ts';
import { realPathOf } from '../workspace/real-path.ts';
import { openWatchedFiles } from '../workspace/watched-files.ts';
import type { SessionLog } from './log.ts';

export interface SessionLeases {
  readonly leases: Leases;
  forAgent(agentId: string | null): FileLeases;
  /** Around each run of the lead, whose leases end with it like anybody's. */
  beginRun(): void;
  endRun(): void;
}

export interface LeaseWiring {
  clock: Clock;
  roster: Roster;
  inbox: Inbox;
  log: SessionLog;
  /** Directories in which nothing is leased. */
  free: readonly string[];
  /** On a tape, played back without its tools, nothing may happen that is not a tool's result: it refuses, and says no more. */
  isTaped: boolean;
  publish(event: AgentEvent): void;
}

/** The leases of a session: changes are published, what was written past them is recorded and told to the holder. */
export function createLeases(wiring: LeaseWiring): SessionLeases {
  const { clock, roster, inbox, log, free } = wiring;
  const publish = (event: AgentEvent) => {
    if (!wiring.isTaped) wiring.publish(event);
  };
  const about = (agentId: string | null) => ({
    agentId,
    parentToolUseId: roster.find(agentId)?.context.parentToolUseId ?? null,
  });
  const told = new Set<string | null>();
  const leases = openLeases({
    clock,
    free: free.map(realPathOf),
    changed(agentId) {
      // The lead alone has nobody to keep from anything.
      if (agentId === null && roster.size < 2 && !told.has(null)) return;
      const held = leases.list(agentId);
      if (held.length > 0) told.add(agentId);
      else told.delete(agentId);
      publish({ ...about(agentId), type: 'leases_changed', leases: held });
    },
  });
  const forAgent = openFileLeases({
    leases,
    watched: openWatchedFiles(),
    touched(agentId, toolUseId, files) {
      const who = agentId === null ? {} : { agentId };
      // Best effort: a full disk is reported where the conversation itself cannot be written.
      if (!wiring.isTaped)
        log.append({ type: 'files-touched', timestamp: timestamp(clock), ...who, toolUseId, files });
      publish({ ...about(agentId), type: 'files_touched', toolUseId, files });
    },
    tellHolder(agentId, text) {
      if (wiring.isTaped) return;
      const holder = agentId === null ? inbox : roster.find(agentId)?.context.inbox;
      // Without a wake: it goes along with what comes next.
      holder?.postQuietly({
        delivery: 'steer',
        content: [{ type: 'text', text: `<system-reminder>${escapeHarnessTags(text)}</system-reminder>` }],
        origin: { kind: 'harness' },
      });
    },
  });
  return {
    leases,
    forAgent,
    beginRun: () => leases.enter({ agentId: null, type: 'lead' }),
    endRun: () => leases.leave(null),
  };
}
