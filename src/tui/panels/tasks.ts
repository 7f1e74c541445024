import { existsSync } from 'node:fs';
import { totalTokens } from '../../protocol/message.ts';
import type { Agent, AgentCost, View } from '../../view/index.ts';
import { agentsToCome, formatSpent, formatTokens, taskCounts, worktreeList } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { pointer, spoken, styled } from '../screen/layout.ts';
import { tableLines } from '../screen/work-table.ts';
import type { Panel } from '../state.ts';
import { type NamedPlace, shortenPlaces, showLine, truncate, wrap } from '../text/index.ts';
import { findSelected, holdsTurn, isUnderWay, stopWords, type WorkRow, workRows } from './rows.ts';
import { describeWork } from './work-cells.ts';

/** All work of the session: the tree of agents, commands, and the files and worktrees they hold. */
export function tasksLines(
  view: View,
  { selected, confirming, said }: Extract<Panel, { kind: 'tasks' }>,
  drawing: Drawing,
): { lines: string[]; at: number; foot: string } {
  const rows = workRows(view);
  const at = findSelected(rows, selected);
  const inner = { ...drawing, width: drawing.width - 2 };
  const { header, rows: drawn } = tableLines(
    rows.map((row) => describeWork(view, row, inner)),
    inner,
  );
  const list = drawn.map((line, index) => styled(drawing, 'accent', pointer(index === at, drawing)) + line);
  const foot =
    confirming === undefined
      ? (said ?? explainKeys(view, rows[at]))
      : stopWords(rows.find(({ id }) => id === confirming));
  const words = 'Nothing has been started yet: no agents, no background commands.';
  const empty = wrap(words, drawing.width).map((line) => styled(drawing, 'dim', line));
  const titles = list.length > 0 && !drawing.plain ? [`  ${header}`] : [];
  const head = [headLine(view, drawing), ...sumLine(view, drawing), '', ...titles];
  return {
    lines: [...head, ...(list.length > 0 ? list : empty), ...groundLines(view, drawing)],
    at: head.length + at,
    foot,
  };
}

/** What the keys do with the row under the cursor. */
function explainKeys(view: View, row: WorkRow | undefined): string {
  if (row === undefined) return 'esc goes back';
  if (row.kind === 'call') {
    const skip = isUnderWay(row) ? ['s skips the call'] : [];
    return [
      ...(row.call.agentId === undefined ? [] : ['return opens its agent']),
      ...skip,
      'esc goes back',
    ].join(' · ');
  }
  const agent = row.kind === 'task' ? undefined : row.agent;
  return [
    'return opens',
    ...(isUnderWay(row) ? ['x stops'] : []),
    ...(agent && hasWorktree(view, agent) ? ['d reviews its worktree'] : []),
    ...(holdsTurn(row) ? ['b background'] : []),
    'esc goes back',
  ].join(' · ');
}

function hasWorktree(view: View, { id, worktree }: Agent): boolean {
  return worktree !== null || worktreeList(view).some(({ agentId }) => agentId === id);
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
  const words = spoken(drawing, `Tasks · ${parts.join(', ')}${mode}`);
  return styled(drawing, 'heading', truncate(words, drawing.width));
}

/** The total of the agents' rows and the lead's own usage. */
function sumLine({ cost }: View, drawing: Drawing): string[] {
  const lead = cost.byAgent.get(null);
  if (cost.requests === 0) return [];
  const alone = lead && cost.byAgent.size > 1 ? ` (lead: ${formatAgentCost(lead)})` : '';
  const words = spoken(drawing, `Session: ${formatAgentCost(cost)}${alone}`);
  return [styled(drawing, 'dim', truncate(words, drawing.width))];
}

function formatAgentCost(cost: AgentCost): string {
  const tokens = formatTokens(totalTokens(cost.usage));
  return cost.microUsd === null ? tokens : `${tokens} · ${formatSpent(cost)}`;
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
