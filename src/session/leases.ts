import type { Roster } from '../agents/roster.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import { escapeHarnessTags } from '../lib/harness-tags.ts';
import type { AgentEvent, FileLeases } from '../protocol/index.ts';
import type { Inbox } from '../tasks/inbox.ts';
import { openFileLeases } from '../workspace/file-leases.ts';
import { type Leases, openLeases } from '../workspace/leases.ts';
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
  publish(event: AgentEvent): void;
}

/** The leases of a session: changes are published, what was written past them is recorded and told to the holder. */
export function createLeases({ clock, roster, inbox, log, free, publish }: LeaseWiring): SessionLeases {
  const about = (agentId: string | null) => ({
    agentId,
    parentToolUseId: roster.find(agentId)?.context.parentToolUseId ?? null,
  });
  const leases = openLeases({
    clock,
    free,
    changed: (agentId) =>
      publish({ ...about(agentId), type: 'leases_changed', leases: leases.list(agentId) }),
  });
  const forAgent = openFileLeases({
    leases,
    watched: openWatchedFiles(),
    touched(agentId, toolUseId, files) {
      const who = agentId === null ? {} : { agentId };
      // Best effort: a full disk is reported where the conversation itself cannot be written.
      log.append({ type: 'files-touched', timestamp: timestamp(clock), ...who, toolUseId, files });
      publish({ ...about(agentId), type: 'files_touched', toolUseId, files });
    },
    tellHolder(agentId, text) {
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
