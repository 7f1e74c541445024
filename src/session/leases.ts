import { timestamp } from '../lib/clock.ts';
import { escapeHarnessTags } from '../lib/text/harness-tags.ts';
import type { AgentEvent, FileLeases } from '../protocol/index.ts';
import { openFileLeases } from '../workspace/file-leases.ts';
import { type Leases, openLeases, type SharedLeases } from '../workspace/leases.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { openWatchedFiles } from '../workspace/watched-files.ts';
import type { CoordinatorChoice } from './coordinator.ts';
import type { Kernel } from './kernel.ts';
import type { SessionFeature } from './opening.ts';

export interface SessionLeases {
  readonly leases: Leases;
  forAgent(agentId: string | null): FileLeases;
  /** Around each run of the lead, whose leases end with it like any other agent's. */
  beginRun(): void;
  endRun(): void;
  /** From now on other processes of a team respect these leases; undefined: no longer. */
  share(shared: SharedLeases | undefined): void;
}

/** The leases of a session: changes are published; writes despite a lease are recorded and reported to its holder. */
export function leaseFeature({ scratchpad }: CoordinatorChoice): SessionFeature<SessionLeases> {
  return { name: 'leases', open: (kernel) => openSessionLeases(kernel, scratchpad) };
}

function openSessionLeases(
  { place, roster, inbox, log, tape, events }: Kernel,
  scratchpad: string | undefined,
): SessionLeases {
  const { clock } = place.outside;
  // With a tape, and in a replay without its tools, nothing may happen that is not a tool's result.
  const isTaped = tape !== undefined;
  const publish = (event: AgentEvent) => {
    if (!isTaped) events.publish(event);
  };
  const about = (agentId: string | null) => ({
    agentId,
    parentToolUseId: roster.find(agentId)?.context.identity.parentToolUseId ?? null,
  });
  const told = new Set<string | null>();
  let shared: SharedLeases | undefined;
  const held = openLeases({
    clock,
    shared: () => shared,
    // The scratchpad is shared by design.
    free: scratchpad === undefined ? [] : [resolveRealPath(scratchpad)],
    changed(agentId) {
      // A lead without other agents needs no leases.
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
      // Does not wake the holder: it is delivered with the next letter.
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
    share(next) {
      shared = next;
    },
  };
}
