import { ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { MovedTo } from '../protocol/index.ts';
import { closeToEarlier } from '../store/fence.ts';
import type { SessionSummary } from '../store/sessions.ts';
import type { SessionStart } from './kernel.ts';
import { type Restored, restore } from './restore.ts';
import type { Surroundings } from './surroundings.ts';

/** The parts of a claimed session that reading its history needs. */
export interface ContinuedParts extends Pick<SessionStart, 'identity' | 'claim' | 'options'> {
  place: Pick<Surroundings, 'clock' | 'ids' | 'machine'>;
}

/** Reads the conversation. Where the session itself continues, it is closed to its earlier writer from here on. */
export async function continueFrom(
  earlier: Pick<SessionSummary, 'id' | 'path'>,
  { identity, options, place, claim }: ContinuedParts,
): Promise<Result<Restored>> {
  const { holder } = options;
  const loaded = await restore(earlier, place, holder !== undefined);
  if (!loaded.ok || !identity.goesOn) return loaded;
  const { to } = loaded.value.moved ?? {};
  if (to && to.jobId !== holder?.jobId) return refuseMoved(earlier.id, to);
  const { epoch, agents } = loaded.value;
  const raised = claim.isClosedToEarlier && epoch === claim.epoch ? ok(undefined) : claim.raise(epoch);
  if (!raised.ok) return raised;
  // Only those agents can have a late writer that were running when it was paused.
  const running = claim.isClosedToEarlier ? agents.filter(({ end }) => !end) : [];
  for (const { task } of running) {
    const closed = closeToEarlier(
      identity.files.agentTranscript(task.id),
      claim,
      place.clock,
      place.machine.disk,
    );
    if (!closed.ok) return closed;
  }
  return loaded;
}

/** Its next step is taken by another holder. */
export function refuseMoved(id: string, { engine, name }: MovedTo): Result<never> {
  return usage(
    `Session ${id} runs on the worker ${visibleLine(name, 100)} (${visibleLine(engine, 200)}).`,
    `Look at it and steer it: cadre attach ${id}. Bring it here: cadre move ${id} --to here.`,
  );
}
