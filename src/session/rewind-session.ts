import { existsSync } from 'node:fs';
import { ok, type Result, usage } from '../lib/result.ts';
import type { AgentEventBody, TaskView, TodoItem } from '../protocol/index.ts';
import { type Checkpoint, checkpointsOf } from '../store/checkpoints.ts';
import { loadTranscript } from '../store/transcript.ts';
import { goOnFrom } from './go-on-from.ts';
import type { SessionParts } from './parts.ts';
import { performRewind, previewRewind } from './rewind.ts';
import type { RewindReport, RewindWish } from './rewind-report.ts';

/** How an open session is gone back in. */
export interface SessionRewind extends RewindWish {
  /** Ends the turn that is under way first. */
  stop?: boolean;
  /** Ends agents in the background first; without it they keep the session from going back. */
  stopAgents?: boolean;
}

export async function listCheckpoints(parts: SessionParts): Promise<Result<Checkpoint[]>> {
  const place = await parts.rewindPlace();
  if (!place.ok) return place;
  // Nothing was said yet.
  if (!existsSync(place.value.files.transcript)) return ok([]);
  const loaded = await loadTranscript(place.value.files.transcript);
  return loaded.ok ? ok(checkpointsOf(loaded.value.records)) : loaded;
}

export async function previewIn(parts: SessionParts, wish: RewindWish): Promise<Result<RewindReport>> {
  const place = await parts.rewindPlace();
  if (!place.ok) return place;
  const preview = await previewRewind(place.value, wish);
  return preview.ok ? ok(withRunning(preview.value, parts)) : preview;
}

/** No run is under way, and none begins before this is over. */
export async function rewindIn(
  parts: SessionParts,
  wish: SessionRewind,
  publish: (body: AgentEventBody) => void,
): Promise<Result<RewindReport>> {
  const place = await parts.rewindPlace();
  if (!place.ok) return place;
  const atWork = parts.tasks.running().filter(isAgent);
  if (atWork.length > 0 && !wish.stopAgents)
    return usage(
      `Agents are at work, whose edits would come in between: ${atWork.map(nameOf).join(', ')}.`,
      'Wait for them, stop them, or set stopAgents.',
    );
  await parts.tasks.killAll('the user went back to an earlier point', isAgent);
  const done = await performRewind(place.value, wish);
  if (!done.ok) return done;
  const { report, record } = done.value;
  const reloaded = await goOnFrom(parts, place.value.files.transcript);
  if (!reloaded.ok) return reloaded;
  if (record.head !== undefined) publish({ type: 'todos_changed', todos: await todosOf(parts) });
  publish({
    type: 'session_rewound',
    to: report.to.uuid,
    ...(record.head === undefined ? {} : { head: record.head }),
    restored: report.restored,
    removed: report.removed,
  });
  return ok(withRunning(report, parts));
}

/** The list as it was when the conversation was there. */
async function todosOf({ lead }: SessionParts): Promise<TodoItem[]> {
  const { carryState } = await import('../loop/compact-state.ts');
  const agent = lead.contextFor(new AbortController().signal);
  return carryState(agent, agent.conversation.records, new Set()).todos;
}

function withRunning(report: RewindReport, { tasks }: SessionParts): RewindReport {
  const running = tasks.running().filter((task) => !isAgent(task));
  if (report.what === 'conversation' || running.length === 0) return report;
  const names = running.map(({ id, description }) => `${id} (${description})`).join(', ');
  return { ...report, beyond: [...report.beyond, `Still running, and able to change files: ${names}.`] };
}

function isAgent({ kind }: Readonly<TaskView>): boolean {
  return kind !== 'local_bash' && kind !== 'monitor_mcp';
}

function nameOf({ id, agent, description }: TaskView): string {
  return agent?.name ?? `${id} (${description})`;
}
