import { escapeHarnessTags } from '../lib/text/harness-tags.ts';
import { boundText } from '../lib/text/text.ts';
import type { KeptWorktree, TaskEnd, TaskKind, TaskUsage, TaskView } from '../protocol/index.ts';
import { describeCopyEnd, noteReport } from '../protocol/report-frame.ts';

/** The largest part of a task's result that a notification carries; the rest is in the output file. */
const resultLimit = 8_000;

const kindNames: Record<TaskKind, string> = {
  local_bash: 'Background command',
  local_agent: 'Agent',
  remote_agent: 'Remote agent',
  in_process_teammate: 'Teammate',
  local_workflow: 'Workflow',
  monitor_mcp: 'Monitor',
  dream: 'Dream',
};

/** The notification for an agent about the end of a task. */
export function renderNotification(task: TaskView, end: TaskEnd): string {
  return [
    '<task-notification>',
    element('task-id', task.id),
    element('output-file', task.outputFile),
    element('status', end.status),
    element('outcome', end.outcome ?? end.status),
    element(
      'summary',
      summarise(task, end) + (task.retrieved ? '; you already have its result from TaskOutput' : ''),
    ),
    ...(end.text && !task.retrieved
      ? [...noteSource(task, end), element('result', bound(task, end.text))]
      : []),
    ...(end.worktree ? [renderWorktree(end.worktree)] : []),
    ...(end.copyOf === undefined ? [] : [element('scratch-copy', describeCopyEnd(end.copyOf))]),
    ...(end.usage ? [renderUsage(end.usage)] : []),
    '</task-notification>',
  ].join('\n');
}

/** The notification for an agent about something that a task noticed; the task continues. */
export function renderEvent(task: TaskView, text: string): string {
  return [
    '<task-notification>',
    element('task-id', task.id),
    element('status', 'running'),
    element('summary', `${kindNames[task.kind]} "${task.description}" reported an event`),
    element('event', boundText(text, resultLimit)),
    '</task-notification>',
  ].join('\n');
}

/** A command's output is labelled by its kind; an agent's words could be taken for somebody's wish. */
function noteSource({ kind }: TaskView, { report }: TaskEnd): string[] {
  return kind === 'local_bash' || kind === 'monitor_mcp' ? [] : [element('note', noteReport(report))];
}

function element(name: string, text: string): string {
  return `<${name}>${escapeText(text)}</${name}>`;
}

function escapeText(text: string): string {
  // Similar characters could be read as a bracket too.
  return escapeHarnessTags(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
}

/** One line: kind, quoted description, how it ended. */
export function summarise(task: TaskView, end: TaskEnd): string {
  const name = `${kindNames[task.kind]} "${task.description}"`;
  if (end.status === 'completed') return `${name} completed`;
  if (end.status === 'killed') return `${name} was stopped${end.reason ? `: ${end.reason}` : ''}`;
  return `${name} failed: ${end.reason ?? 'no reason given'}`;
}

/** Where the work is: it exists only there until it is landed. */
function renderWorktree({ name, path, branch, diffstat }: KeptWorktree): string {
  const parts = [
    element('name', name),
    element('path', path),
    element('branch', branch),
    element('diffstat', diffstat),
  ];
  return `<worktree>${parts.join('')}</worktree>`;
}

function renderUsage({ totalTokens, toolUses, durationMs }: TaskUsage): string {
  const parts = [
    element('total_tokens', String(totalTokens)),
    element('tool_uses', String(toolUses)),
    element('duration_ms', String(Math.round(durationMs))),
  ];
  return `<usage>${parts.join('')}</usage>`;
}

/** The end of a command's output says most about how it went; an agent's report says most at its beginning. */
function bound(task: TaskView, text: string): string {
  if (task.kind !== 'local_bash') return boundText(text, resultLimit);
  return text.length <= resultLimit
    ? text
    : `[… ${text.length - resultLimit} characters omitted]\n${text.slice(-resultLimit)}`;
}
