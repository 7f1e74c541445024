import { timestamp } from '../../lib/clock.ts';
import { ok, type Problem, type Result } from '../../lib/result.ts';
import type { MovedPrompt, MovedRecord, MovedTo, UserBlock } from '../../protocol/index.ts';
import { makeEpochRecord, stampEpoch } from '../../store/fence.ts';
import { reopenTranscript } from '../../store/transcript.ts';
import type { Inbox } from '../../tasks/inbox.ts';
import type { Kernel } from '../kernel.ts';

/** Calls that run have this long to end. Then their result is not known. */
const maxWaitMs = 30_000;

/** What the next holder needs to know of a session that has stopped. */
export type StoppedStep = Pick<MovedRecord, 'isRunning' | 'prompts'>;

/** The runs of the lead. */
export interface LeadRuns {
  readonly isRunning: boolean;
  settled(): Promise<void>;
}

type StopParts = Pick<Kernel, 'steps' | 'inbox' | 'claim' | 'tasks' | 'place'>;

/**
 * Stops a session with all its agents at the next step, and lets go of it: from then on this process writes and starts nothing for it.
 * Requests to the model that are not answered by then are asked again by whoever continues.
 */
export async function stopAtStep(
  { steps, inbox, claim, tasks, place }: StopParts,
  pump: LeadRuns,
  reason: Problem,
): Promise<Result<StoppedStep>> {
  steps.hold();
  await untilQuiet(steps, place.outside.clock);
  const held = claim.check();
  if (!held.ok) return held;
  const stopped = { isRunning: pump.isRunning, prompts: takePrompts(inbox, () => place.outside.ids.uuid()) };
  claim.pass(reason);
  await tasks.close(reason.message);
  await pump.settled();
  return ok(stopped);
}

async function untilQuiet(
  steps: StopParts['steps'],
  clock: Kernel['place']['outside']['clock'],
): Promise<void> {
  if (steps.isQuiet) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(maxWaitMs, resolve);
  const forget = steps.onChange(() => {
    if (steps.isQuiet) resolve();
  });
  await promise;
  cancel();
  forget();
}

function takePrompts(inbox: Inbox, makeId: () => string): MovedPrompt[] {
  return inbox
    .takeWhere(({ origin }) => origin.kind === 'human')
    .map(({ content, uuid = makeId(), delivery, isVerbatim, isQuiet }) => ({
      content: content.filter(isPromptBlock),
      ...{ uuid, delivery },
      ...(isVerbatim ? { isVerbatim } : {}),
      ...(isQuiet ? { isQuiet } : {}),
    }));
}

function isPromptBlock(block: UserBlock): block is MovedPrompt['content'][number] {
  return block.type !== 'tool_result';
}

/** The word on who takes the next step. Its epoch is a later one: whatever its writer still adds is ignored. */
export function writeMoved(
  path: string,
  { epoch, pid }: { epoch: number; pid: number },
  { to, isRunning, prompts }: StoppedStep & { to: MovedTo | null },
  { clock, machine }: Pick<Kernel['place'], 'clock' | 'machine'>,
): Result<void> {
  const opened = reopenTranscript(path, machine.disk);
  if (!opened.ok) return opened;
  const fence = { epoch: epoch + 1, pid, check: () => ok(undefined) };
  const begun = opened.value.append(makeEpochRecord(fence, clock));
  const record: MovedRecord = { type: 'moved', timestamp: timestamp(clock), to, isRunning, prompts };
  const written = begun.ok ? opened.value.append(stampEpoch(record, fence)) : begun;
  opened.value.close();
  return written;
}
