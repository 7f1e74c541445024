import { ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { TaskEnd, TaskRecord, TaskView } from '../../protocol/index.ts';
import { connectOwner } from '../../session/attached/connect-owner.ts';
import { findSessionOwner, type SessionOwner } from '../../session/owner.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import { findSession, listSessions, type SessionSummary } from '../../store/sessions.ts';
import { readTasks } from '../../store/task-records.ts';
import { isUnderWay } from '../../tasks/tasks.ts';

/** A task as recorded in its session's transcript, seen from outside that session. */
export interface FoundTask {
  session: SessionSummary;
  /** The process that has the session open. */
  owner: SessionOwner | undefined;
  task: TaskView;
  end?: TaskEnd;
}

/** How long the process that has a session open may take to report its tasks; after that the transcript is used. */
const maxAnswerMs = 2_000;

export interface SessionTasks {
  session: SessionSummary;
  owner: SessionOwner | undefined;
  tasks: FoundTask[];
}

export interface Where {
  session?: string;
  all?: boolean;
}

/** The selected sessions: one by its id, all of this directory, or its newest. */
export async function findSessions(around: Surroundings, where: Where): Promise<Result<SessionSummary[]>> {
  if (where.session !== undefined) {
    const found = await findSession(around.layout, where.session);
    return found.ok ? ok([found.value]) : found;
  }
  const limit = where.all ? Number.POSITIVE_INFINITY : 1;
  const sessions = await listSessions(around.layout, around.cwd, limit);
  if (sessions.length > 0) return ok(sessions);
  return usage(
    'There is no session in this directory.',
    'cadre sessions --all lists sessions of other directories; cadre tasks --session ID shows one.',
  );
}

export async function readSessionTasks(session: SessionSummary, home: string): Promise<Result<SessionTasks>> {
  const read = await readTasks(session.path);
  if (!read.ok) return read;
  const owner = findSessionOwner(home, session.id);
  const live = owner ? await askForTasks(home, session.id) : [];
  const records = read.value.map((record) => foundTask(record, session, owner));
  return ok({ session, owner, tasks: records.map((found) => withLive(found, live)) });
}

/** The tasks as reported by the process that runs them, with counts that no transcript has yet. */
async function askForTasks(home: string, sessionId: string): Promise<readonly TaskView[]> {
  const connected = await connectOwner(home, sessionId, { client: 'cadre tasks', patienceMs: maxAnswerMs });
  if (!connected.ok) return [];
  connected.value.close();
  return connected.value.welcome.tasks;
}

function withLive(found: FoundTask, live: readonly TaskView[]): FoundTask {
  const task = live.find(({ id, runId }) => id === found.task.id && runId === found.task.runId);
  return task && isUnderWay(task) ? { ...found, task } : found;
}

/** A task by its id, the beginning of one, or an agent's name. The newest session that has it wins. */
export async function findTask(around: Surroundings, id: string, where: Where): Promise<Result<FoundTask>> {
  const sessions = await findSessions(around, { ...where, all: true });
  if (!sessions.ok) return sessions;
  for (const session of sessions.value) {
    const found = await readSessionTasks(session, around.home);
    if (!found.ok) return found;
    const matches = matching(found.value.tasks, id);
    if (matches.length > 1)
      return usage(
        `"${visibleLine(id, 60)}" matches ${matches.length} task ids.`,
        `Give more characters of one of them: ${matches.map(({ task }) => task.id).join(', ')}.`,
      );
    if (matches[0]) return ok(matches[0]);
  }
  const place = where.session === undefined ? 'any session of this directory' : `session ${where.session}`;
  return usage(
    `No task "${visibleLine(id, 60)}" in ${place}.`,
    'cadre tasks --all lists them; --session ID selects a session of another directory.',
  );
}

function matching(tasks: readonly FoundTask[], id: string): FoundTask[] {
  const exact = tasks.filter(({ task }) => task.id === id);
  const named = exact.length > 0 ? exact : tasks.filter(({ task }) => task.agent?.name === id).slice(-1);
  return named.length > 0 || id === '' ? named : tasks.filter(({ task }) => task.id.startsWith(id));
}

/**
 * Work of a killed process still looks as if it were running. It is not, unless the process that started it
 * is alive: one that opened the session since has other tasks.
 */
function foundTask(
  { task, end }: TaskRecord,
  session: SessionSummary,
  owner: SessionOwner | undefined,
): FoundTask {
  const isLost = isUnderWay(task) && !(owner && Date.parse(task.startedAt) >= Math.floor(owner.since));
  const seen = isLost ? { ...task, status: 'killed' as const, error: endedWithSession } : task;
  return { session, owner, task: seen, end };
}

export const endedWithSession = 'it ended with the process that started it';
