import { existsSync } from 'node:fs';
import { totalTokens } from '../../protocol/message.ts';
import type { WorkflowCallView } from '../../protocol/workflow.ts';
import type { AgentCost, ShownWorkflow, View } from '../../view/index.ts';
import {
  agentsToCome,
  formatDuration,
  formatSpent,
  formatTokens,
  taskCounts,
  worktreeList,
} from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { agentEndLine, agentRow } from '../screen/agent-lines.ts';
import { pointer, spoken, styled } from '../screen/layout.ts';
import { type MemberColumns, measureMembers, memberLine } from '../screen/team-lines.ts';
import type { Panel } from '../state.ts';
import { type NamedPlace, shortenPlaces, showLine, truncate, wrap } from '../text/index.ts';
import { findSelected, isUnderWay, stopWords, type WorkRow, workRows } from './rows.ts';

/** All work of the session: the tree of agents, commands, and the files and worktrees they hold. */
export function tasksLines(
  view: View,
  { selected, confirming, said }: Extract<Panel, { kind: 'tasks' }>,
  drawing: Drawing,
): { lines: string[]; at: number; foot: string } {
  const rows = workRows(view);
  const at = findSelected(rows, selected);
  const columns = measureMembers(rows.flatMap((row) => (row.kind === 'member' ? [row.member] : [])));
  const list = rows.map((row, index) => {
    const mark = styled(drawing, 'accent', pointer(index === at, drawing));
    return mark + rowLine(view, row, columns, { ...drawing, width: drawing.width - 2 });
  });
  const foot =
    confirming === undefined
      ? (said ??
        (rows[at]?.kind === 'call'
          ? 'return opens its agent · s skips the call · esc goes back'
          : undefined) ??
        'return opens · d reviews its worktree · x stops · b background · esc goes back')
      : stopWords(rows.find(({ id }) => id === confirming));
  const words = 'Nothing has been started yet: no agents, no background commands.';
  const empty = wrap(words, drawing.width).map((line) => styled(drawing, 'dim', line));
  const head = [headLine(view, drawing), ...sumLine(view, drawing), ''];
  return {
    lines: [...head, ...(list.length > 0 ? list : empty), ...groundLines(view, drawing)],
    at: head.length + at,
    foot,
  };
}

function headLine(view: View, drawing: Drawing): string {
  const { running, pending, completed, failed, killed } = taskCounts(view);
  const waiting = pending + agentsToCome(view);
  const parts = [
    `${running} running`,
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    `${completed} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(killed > 0 ? [`${killed} stopped`] : []),
  ];
  const mode = view.session.coordinator ? ' · coordinator mode' : '';
  const words = spoken(drawing, `Tasks: ${parts.join(', ')}${mode}`);
  return styled(drawing, 'heading', truncate(words, drawing.width));
}

/** The total of the agents' rows and the lead's own usage. */
function sumLine({ cost }: View, drawing: Drawing): string[] {
  const lead = cost.byAgent.get(null);
  if (cost.requests === 0) return [];
  const alone = lead && cost.byAgent.size > 1 ? `, of that the lead ${formatAgentCost(lead)}` : '';
  const words = spoken(drawing, `The session: ${formatAgentCost(cost)}${alone}`);
  return [styled(drawing, 'dim', truncate(words, drawing.width))];
}

function formatAgentCost(cost: AgentCost): string {
  return `${formatTokens(totalTokens(cost.usage))} · ${formatSpent(cost)}`;
}

function rowLine(view: View, row: WorkRow, columns: MemberColumns, drawing: Drawing): string {
  if (row.kind === 'member') return memberLine(row.member, row.agent, columns, drawing);
  if (row.kind === 'agent') {
    const indent = '  '.repeat(row.depth);
    const cost = view.cost.byAgent.get(row.id);
    const money = cost ? spoken(drawing, ` · ${formatSpent(cost)}`) : '';
    const asks =
      row.agent.questions.length > 0 ? styled(drawing, 'warning', spoken(drawing, ' · asks you')) : '';
    const inner = { ...drawing, width: drawing.width - indent.length - money.length };
    const line = isUnderWay(row) ? agentRow(row.agent, inner) : agentEndLine(row.agent, inner);
    return truncate(`${indent}${line}${styled(drawing, 'dim', money)}${asks}`, drawing.width);
  }
  if (row.kind === 'call') return callLine(row.call, drawing);
  const { task } = row;
  const run = [...view.workflows.values()].findLast(({ taskId }) => taskId === task.id);
  if (run) return workflowLine(run, drawing);
  const age = formatDuration((task.endedAt ?? drawing.now) - task.startedAt);
  const kind = { local_bash: 'shell', monitor_mcp: 'monitor', dream: 'dream' } as Record<string, string>;
  const end = task.error === null ? '' : ` · ${showLine(task.error, 200)}`;
  const cost = view.cost.byAgent.get(task.id);
  const spent = cost ? ` · ${formatAgentCost(cost)}` : '';
  const line = `${kind[task.kind] ?? task.kind} ${showLine(shortenPlaces(task.description, drawing.places), 200)} · ${task.state} · ${age}${spent}${end}`;
  return truncate(spoken(drawing, line), drawing.width);
}

function workflowLine({ name, status, phase, calls, reason }: ShownWorkflow, drawing: Drawing): string {
  const ended = calls.total - calls.running - calls.waiting;
  const parts = [
    `workflow ${name}`,
    status,
    ...(phase === undefined ? [] : [phase]),
    `${ended} of ${calls.total} calls`,
    ...(reason ? [reason] : []),
  ];
  return truncate(spoken(drawing, showLine(parts.join(' · '), 300)), drawing.width);
}

function callLine(
  { label, phase, state, outcome, verdict, reason, tokens }: WorkflowCallView,
  drawing: Drawing,
): string {
  const end = outcome === undefined ? [state] : [outcome, verdict ?? ''];
  const parts = [
    ...(phase === undefined ? [] : [phase]),
    label,
    ...end.filter(Boolean),
    ...(tokens > 0 ? [formatTokens(tokens)] : []),
    ...(reason ? [reason] : []),
  ];
  const line = truncate(spoken(drawing, `  ${showLine(parts.join(' · '), 300)}`), drawing.width);
  return outcome !== undefined && outcome !== 'ok' ? styled(drawing, 'warning', line) : line;
}

/** The resources agents share and hold. */
function groundLines(view: View, drawing: Drawing): string[] {
  const { leases, session } = view;
  const who = (id: string | null) =>
    id === null ? 'lead' : showLine(view.agents.get(id)?.description ?? id, 40);
  const place = (path: string) => showLine(shortenPlaces(path, drawing.places), 300);
  const isHome = ({ name }: NamedPlace) => name === '~';
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0
      ? []
      : [
          '',
          styled(drawing, 'heading', title),
          ...lines.map((line) => truncate(spoken(drawing, `  ${line}`), drawing.width)),
        ];
  return [
    ...section(
      'Scratchpad',
      session.scratchpad === null
        ? []
        : [showLine(shortenPlaces(session.scratchpad, drawing.places.filter(isHome)), 300)],
    ),
    ...section(
      'Files being written',
      leases.map(({ path, holder }) => `${place(path)} · ${who(holder)}`),
    ),
    ...section(
      'Worktrees',
      // A worktree that was landed or dropped, by any process, is gone.
      worktreeList(view)
        .filter(({ path }) => existsSync(path))
        .map(
          ({ path, branch, agentId, diffstat }) =>
            `${showLine(branch, 80)} · ${who(agentId)}${diffstat === null ? '' : ` · ${diffstat}`} · ${place(path)}`,
        ),
    ),
  ];
}
