import { existsSync } from 'node:fs';
import { ownerVariable } from '../lib/processes/process.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { nextRequestTokens } from '../loop/context-room.ts';
import { type FileHistory, isEndTold, type TaskView, type TodoItem } from '../protocol/index.ts';
import type { RewindProgress } from '../rewind/put-all-back.ts';
import type { RewindReport, RewindWish } from '../rewind/report.ts';
import { loadSettled, performRewind, previewRewind, type RewindPlace } from '../rewind/rewind.ts';
import { type Checkpoint, readCheckpoints } from '../store/checkpoints.ts';
import { restoreConversation } from '../store/conversation.ts';
import { loadTranscript } from '../store/transcript.ts';
import { isUnderWay } from '../tasks/tasks.ts';
import type { AgentDefinitions } from './agents/definitions.ts';
import type { Kernel } from './kernel.ts';
import type { LeadHands } from './lead/hands.ts';
import type { Lead } from './lead/lead.ts';
import type { LeadPermissions } from './permissions.ts';
import { lateLetter } from './tasks.ts';

/** How to go back in an open session. */
export interface SessionRewind extends RewindWish {
  /** Ends the current turn first. */
  stop?: boolean;
  /** Ends background agents first; without it they prevent the rewind. */
  stopAgents?: boolean;
  /**
   * Ends commands and monitors in the background that were started since; without it they keep running, and are named.
   */
  stopCommands?: boolean;
  /** Called now and then while files are restored. */
  onProgress?: RewindProgress;
}

export async function listCheckpoints(kernel: Kernel, ports: RewindPorts): Promise<Result<Checkpoint[]>> {
  const place = await findPlace(kernel, ports);
  if (!place.ok) return place;
  // Nothing was said yet.
  if (!existsSync(place.value.files.transcript)) return ok([]);
  const loaded = await loadSettled(place.value);
  return loaded.ok ? ok(readCheckpoints(loaded.value.records)) : loaded;
}

export async function previewSessionRewind(
  kernel: Kernel,
  ports: RewindPorts,
  wish: SessionRewind,
): Promise<Result<RewindReport>> {
  const place = await findPlace(kernel, ports);
  if (!place.ok) return place;
  const waiting = kernel.questions.approvals.waiting();
  const questions = waiting.flatMap(({ question, repeats }) => [question, ...repeats]);
  const unanswered = new Set(questions.map(({ toolUseId }) => toolUseId));
  const preview = await previewRewind({ ...place.value, unanswered }, wish);
  return preview.ok ? ok(withWork(preview.value, kernel.tasks.running(), wish)) : preview;
}

interface RewindPorts {
  lead: Lead;
  definitions: AgentDefinitions;
  permissions: LeadPermissions;
  hands: LeadHands;
}

function findPlace(kernel: Kernel, { permissions, hands }: RewindPorts): Promise<Result<RewindPlace>> {
  return findRewindPlace(kernel, permissions, hands.hands.history);
}

/** No run is in progress, and none begins before this is over. */
export async function runSessionRewind(
  kernel: Kernel,
  ports: RewindPorts,
  wish: SessionRewind,
): Promise<Result<RewindReport>> {
  const { tasks, events } = kernel;
  const place = await findPlace(kernel, ports);
  if (!place.ok) return place;
  const running = tasks.running();
  const atWork = running.filter(isAgent);
  if (atWork.length > 0 && !wish.stopAgents)
    return usage(
      `Agents are still running and could edit files during the rewind: ${atWork.map(formatTaskName).join(', ')}.`,
      'Wait for them, stop them, or set stopAgents.',
    );
  const point = await previewRewind(place.value, { to: wish.to, what: 'conversation' });
  if (!point.ok) return point;
  const isEnded = endedBy(wish, point.value.to.at);
  await tasks.killAll('the user rewound to an earlier point', isEnded);
  const done = await performRewind(place.value, wish, wish.onProgress);
  if (!done.ok) return done;
  const { report, record } = done.value;
  const reloaded = await goOnFrom(kernel, ports, place.value.files.transcript);
  if (!reloaded.ok) return reloaded;
  const agent = ports.lead.createContext();
  if (record.head !== undefined) events.tell({ type: 'todos_changed', todos: await readTodos(agent) });
  events.tell({
    type: 'session_rewound',
    to: report.to.uuid,
    ...(record.head === undefined ? {} : { head: record.head, contextTokens: nextRequestTokens(agent) }),
    restored: report.restored,
    removed: report.removed,
  });
  return ok(withWork(report, running, wish));
}

/** The list as it was at that point of the conversation. */
async function readTodos(agent: AgentContext): Promise<TodoItem[]> {
  const { carryState } = await import('../loop/compact/state.ts');
  return carryState(agent, agent.conversation.records, new Set()).todos;
}

/** `running` is what runs before it. */
function withWork(report: RewindReport, running: readonly TaskView[], wish: SessionRewind): RewindReport {
  const isEnded = endedBy(wish, report.to.at);
  const ends = running.filter(isEnded).map(({ id }) => id);
  const others = running.filter((task) => !isEnded(task));
  if (report.what === 'conversation' || others.length === 0) return { ...report, ends };
  const names = others.map(({ id, description }) => `${id} (${description})`).join(', ');
  const still = `Still running and able to change files: ${names}.`;
  return { ...report, ends, beyond: [...report.beyond, still] };
}

/** A conversation from before a command was started no longer knows of it; a later one does. */
function endedBy({ stopCommands }: SessionRewind, at: string): (task: Readonly<TaskView>) => boolean {
  return (task) => isAgent(task) || (stopCommands === true && task.startedAt >= at);
}

function isAgent({ kind }: Readonly<TaskView>): boolean {
  return kind !== 'local_bash' && kind !== 'monitor_mcp';
}

function formatTaskName({ id, agent, description }: TaskView): string {
  return agent?.name ?? `${id} (${description})`;
}

/** Where one goes back in an open session; a problem if that is not possible. */
export async function findRewindPlace(
  { identity, place: around, tape, log, environment }: Kernel,
  permissions: LeadPermissions,
  history: FileHistory,
): Promise<Result<RewindPlace>> {
  if (tape)
    return usage('A recorded or replayed session cannot be rewound.', 'Leave out --record and --replay.');
  if (log.path === null)
    return usage(
      'This session keeps no transcript, so it cannot be rewound.',
      'Start it without --no-session-persistence.',
    );
  const { apartFrom } = await import('../rewind/snapshot.ts');
  const { directories } = permissions.context().workspace;
  return ok({
    sessionId: identity.id,
    files: identity.files,
    roots: [around.root, around.cwd, ...directories],
    apart: apartFrom(around.home, identity.id, around.cwd),
    history,
    async settle() {
      await history.settleCommands?.(Number.POSITIVE_INFINITY, true);
      return [];
    },
    append: (record) => log.append(record),
    // A git that still runs when this process is killed is found at the next start.
    env: { ...environment, [ownerVariable]: identity.id },
    clock: around.clock,
    ids: around.ids,
  });
}

/**
 * The transcript says what the conversation of an open session is now: the user went back in it, or it could not store
 * all that was said. Letters the agent had received after that point are delivered again, without waking it; tasks it
 * started after that point no longer concern it.
 */
export async function goOnFrom(
  { inbox, tasks, log, place }: Kernel,
  { lead, definitions }: Pick<RewindPorts, 'lead' | 'definitions'>,
  transcript: string,
): Promise<Result<void>> {
  const caughtUp = log.catchUp();
  if (!caughtUp.ok) return caughtUp;
  const loaded = await loadTranscript(transcript, place.machine.disk);
  if (!loaded.ok) return loaded;
  const { messages, repairs, untold } = restoreConversation(loaded.value, place.clock, place.ids);
  for (const repair of repairs) {
    const written = log.append(repair);
    if (!written.ok) return written;
  }
  lead.rewind(messages);
  // Ends that were not read yet are among those delivered now.
  inbox.takeWhere(({ origin }) => origin.kind === 'task-notification');
  for (const record of untold) {
    const { task } = record;
    const view = tasks.view(task.id);
    const isOver = isEndTold(task) && !(view?.runId === task.runId && isUnderWay(view));
    const letter = isOver ? lateLetter(record, definitions.settings) : undefined;
    const heard = letter ? lead.hear(letter.content, letter.origin) : ok(undefined);
    if (!heard.ok) return heard;
  }
  return ok(undefined);
}
