import { alignColumns } from '../../lib/text/align-columns.ts';
import { formatTime } from '../../lib/text/duration.ts';
import { visible, visibleLine } from '../../lib/text/text.ts';
import { formatCount } from '../../models/budget/caps.ts';
import type { TaskKind, TaskView } from '../../protocol/index.ts';
import { isUnderWay } from '../../tasks/tasks.ts';
import type { FoundTask, SessionTasks } from './find-task.ts';

const kindWords: Partial<Record<TaskKind, string>> = { local_bash: 'shell', local_agent: 'agent' };

export function nameKind(kind: TaskKind): string {
  return kindWords[kind] ?? kind;
}

/** An agent that waits for a limit to reset is running; one that ended while it waited continues with its session. */
export function formatTaskState({ status, suspended }: TaskView, now: number): string {
  if (!suspended) return status;
  const until = `suspended until ${formatTime(suspended.until, now)}`;
  return status === 'running' ? `running, ${until}` : until;
}

/** One block per session, one line per task. */
export function renderList(sessions: readonly SessionTasks[], now: number): string {
  const shown = sessions.filter(({ tasks }) => tasks.length > 0);
  if (shown.length === 0)
    return sessions.length === 1
      ? `No tasks in session ${sessions[0]?.session.id}. cadre tasks --all lists all sessions.\n`
      : 'No tasks in any session of this directory.\n';
  return shown.map((one) => renderSession(one, now)).join('\n');
}

function renderSession({ session, owner, tasks }: SessionTasks, now: number): string {
  const open = owner ? `, open in process ${owner.pid}` : '';
  const rows = [
    ['id', 'kind', 'state', 'age', 'type', 'name', 'description'],
    ...tasks.map(({ task }) => [
      visibleLine(task.id, 40),
      nameKind(task.kind),
      formatTaskState(task, now),
      age(now - Date.parse(task.startedAt)),
      visibleLine(task.agent?.type ?? '', 24),
      visibleLine(task.agent?.name ?? '', 24),
      visibleLine(task.description, 80),
    ]),
  ];
  const heading = `session ${session.id}${open}: ${visibleLine(session.title, 60)}`;
  return [heading, ...alignColumns(rows).map((line) => `  ${line}`), ''].join('\n');
}

export interface TaskDetails extends FoundTask {
  /** The newest last. */
  activities: string[];
  transcript?: string;
  /** Of all its requests in all its runs. */
  tokens?: number;
}

export function renderTask(
  { session, owner, task, end, activities, transcript, tokens }: TaskDetails,
  now: number,
): string {
  const { agent } = task;
  const usage = end?.usage;
  const rows: [string, string | undefined][] = [
    ['task', task.id],
    ['run', task.runId],
    ['kind', nameKind(task.kind)],
    [
      'state',
      `${formatTaskState(task, now)}${end?.outcome && end.outcome !== task.status ? ` (${end.outcome})` : ''}`,
    ],
    ['why', task.suspended?.reason ?? end?.reason ?? task.error],
    ['stopped by', task.stoppedBy],
    ['description', task.description],
    ['agent type', agent?.type],
    ['name', agent?.name],
    ['model', agent?.model],
    ['depth', agent && String(agent.depth)],
    ['started', `${task.startedAt} (${age(now - Date.parse(task.startedAt)).trim()} ago)`],
    ['ended', task.endedAt],
    ['background', task.isBackgrounded ? 'yes' : 'no: its caller is waiting for it'],
    ['started by', task.owner ?? 'the lead'],
    ['call', task.toolUseId],
    ['tool uses', String(usage?.toolUses ?? agent?.progress.toolUses ?? '') || undefined],
    ['tokens', tokens === undefined ? undefined : formatCount(tokens)],
    ['session', `${session.id}${owner ? `, open in process ${owner.pid}` : ''}`],
    ['transcript', transcript],
    ['output', task.outputFile],
  ];
  const lines = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.padEnd(12)} ${visibleLine(value, 500)}`],
  );
  return [
    ...lines,
    ...section('prompt', agent?.prompt),
    ...section('last activities', activities.map((activity) => visibleLine(activity, 160)).join('\n')),
    ...section('result', isUnderWay(task) ? undefined : end?.text),
    '',
  ].join('\n');
}

const maxLetters = 4_000;

function section(title: string, text: string | undefined): string[] {
  if (!text) return [];
  const shown = text.length > maxLetters ? `${text.slice(0, maxLetters)}\n[…]` : text;
  return [
    '',
    `${title}:`,
    ...visible(shown)
      .split('\n')
      .map((line) => `  ${line}`),
  ];
}

function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** The same as data. */
export function asData({ session, owner, task, end }: FoundTask): object {
  return { sessionId: session.id, sessionIsOpen: owner !== undefined, ...task, end };
}
