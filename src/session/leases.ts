import { timestamp } from '../lib/clock.ts';
import { escapeHarnessTags } from '../lib/text/harness-tags.ts';
import type { AgentEvent, FileLeases } from '../protocol/index.ts';
import { openFileLeases } from '../workspace/file-leases.ts';
import { type Leases, openLeases } from '../workspace/leases.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { openWatchedFiles } from '../workspace/watched-files.ts';
import type { CoordinatorChoice } from './coordinator.ts';
import type { Kernel } from './kernel.ts';
import type { SessionFeature } from './opening.ts';

export interface SessionLeases {
  readonly leases: Leases;
  forAgent(agentId: string | null): FileLeases;
  /** Around each run of the lead, whose leases end with it like anybody's. */
  beginRun(): void;
  endRun(): void;
}

/** The leases of a session: changes are published, what was written past them is recorded and told to the holder. */
export function leaseFeature({ scratchpad }: CoordinatorChoice): SessionFeature<SessionLeases> {
  return { name: 'leases', open: (kernel) => openSessionLeases(kernel, scratchpad) };
}

function openSessionLeases(
  { place, roster, inbox, log, tape, events }: Kernel,
  scratchpad: string | undefined,
): SessionLeases {
  const { clock } = place.outside;
  // On a tape, played back without its tools, nothing may happen that is not a tool's result.
  const isTaped = tape !== undefined;
  const publish = (event: AgentEvent) => {
    if (!isTaped) events.publish(event);
  };
  const about = (agentId: string | null) => ({
    agentId,
    parentToolUseId: roster.find(agentId)?.context.identity.parentToolUseId ?? null,
  });
  const told = new Set<string | null>();
  const held = openLeases({
    clock,
    // Everybody's, by its nature.
    free: scratchpad === undefined ? [] : [resolveRealPath(scratchpad)],
    changed(agentId) {
      // The lead alone has nobody to keep from anything.
      if (agentId === null && roster.size < 2 && !told.has(null)) return;
      const now = held.list(agentId);
      if (now.length > 0) told.add(agentId);
      else told.delete(agentId);
      publish({ ...about(agentId), type: 'leases_changed', leases: now });
    },
  });
  const forAgent = openFileLeases({
    leases: held,
    watched: openWatchedFiles(),
    touched(agentId, toolUseId, files) {
      const who = agentId === null ? {} : { agentId };
      // Best effort: a full disk is reported where the conversation itself cannot be written.
      if (!isTaped)
        log.append({ type: 'files-touched', timestamp: timestamp(clock), ...who, toolUseId, files });
      publish({ ...about(agentId), type: 'files_touched', toolUseId, files });
    },
    tellHolder(agentId, text) {
      if (isTaped) return;
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
    leases: held,
    forAgent,
    beginRun: () => held.enter({ agentId: null, type: 'lead' }),
    endRun: () => held.leave(null),
  };
}
