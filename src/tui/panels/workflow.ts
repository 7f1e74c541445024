import { totalTokens } from '../../protocol/message.ts';
import type { WorkflowCallView } from '../../protocol/workflow.ts';
import { formatTokens, type ShownWorkflow, type View } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { pointer, spoken, styled } from '../screen/layout.ts';
import { tableLines } from '../screen/work-table.ts';
import type { Panel } from '../state.ts';
import { showControls, showLine, truncate, wrap } from '../text/index.ts';
import { describeCall } from './work-cells.ts';

export type WorkflowPanel = Extract<Panel, { kind: 'workflow' }>;

/** A run of a workflow: what became of it, and its calls below their phases. */
export function workflowLines(
  view: View,
  panel: WorkflowPanel,
  drawing: Drawing,
): { lines: string[]; at: number; foot: string } {
  const run = view.workflows.get(panel.runId);
  if (!run) return { lines: ['This run is not shown yet, or no longer.'], at: 0, foot: 'esc goes back' };
  const calls = listCalls(run);
  const selected = findCall(calls, panel.selected);
  const inner = { ...drawing, width: drawing.width - 2 };
  const { header, rows } = tableLines(
    calls.map((call) => ({
      ...describeCall(call, 0, true),
      cost: readCost(view, call),
      ms: readTime(view, call, drawing),
    })),
    inner,
  );
  const head = [...headLines(run, drawing), ''];
  const lines = [...head, ...(rows.length > 0 && !drawing.plain ? [`  ${header}`] : [])];
  let at = 0;
  for (const [index, call] of calls.entries()) {
    if (call.phase !== undefined && call.phase !== calls[index - 1]?.phase)
      lines.push(styled(drawing, 'heading', truncate(phaseLine(run, call.phase, drawing), drawing.width)));
    if (index === selected) at = lines.length;
    lines.push(styled(drawing, 'accent', pointer(index === selected, drawing)) + (rows[index] ?? ''));
  }
  const more =
    run.callsLeft > 0
      ? [styled(drawing, 'dim', `  ${run.callsLeft} earlier calls: cadre workflows show ${run.runId}`)]
      : [];
  const none = calls.length === 0 ? [styled(drawing, 'dim', '  No calls yet.')] : [];
  return { lines: [...lines, ...none, ...more], at, foot: explainKeys(run, calls[selected], panel) };
}

/** In the order of the phases; calls of a phase that nobody declared come when it does. */
export function listCalls({ callList, phases }: ShownWorkflow): WorkflowCallView[] {
  const order = (phase: string | undefined) => {
    const at = phase === undefined ? -1 : phases.indexOf(phase);
    return at === -1 && phase !== undefined ? phases.length : at;
  };
  return callList.toSorted((a, b) => order(a.phase) - order(b.phase));
}

export function findCall(calls: readonly WorkflowCallView[], selected: string | null): number {
  return Math.max(
    0,
    calls.findIndex(({ callId }) => callId === selected),
  );
}

function headLines(run: ShownWorkflow, drawing: Drawing): string[] {
  const { name, status, reason, phases, calls, spent, census } = run;
  const ended = calls.total - calls.running - calls.waiting;
  const words = [
    `Workflow ${showLine(name, 100)}: ${status}`,
    `${ended} of ${calls.total} ${calls.total === 1 ? 'call' : 'calls'} ended`,
    ...(totalTokens(spent) > 0 ? [formatTokens(totalTokens(spent))] : []),
  ];
  const counted = Object.entries({ ...census.outcomes, ...census.verdicts })
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word.replace('_', ' ')}`);
  const way = phases.map((phase) => phaseWord(run, phase)).join(' → ');
  const why = reason ? wrap(showControls(showLine(reason, 600)), drawing.width) : [];
  return [
    styled(drawing, 'heading', truncate(spoken(drawing, words.join(' · ')), drawing.width)),
    ...(phases.length > 0 ? wrap(way, drawing.width) : []),
    ...(counted.length > 0
      ? [styled(drawing, 'dim', truncate(spoken(drawing, counted.join(' · ')), drawing.width))]
      : []),
    ...why.map((line) => styled(drawing, 'warning', line)),
  ];
}

/** `✓ review`, `● judge`, `○ write`: how far each phase is. */
function phaseWord(run: ShownWorkflow, phase: string): string {
  const calls = run.callList.filter((call) => call.phase === phase);
  const open = calls.filter(({ state }) => state !== 'ended').length;
  const isNow = run.phase === phase && run.status === 'running';
  const sign = open > 0 || isNow ? '●' : calls.length > 0 ? '✓' : '○';
  return `${sign} ${showLine(phase, 60)}`;
}

function phaseLine({ callList }: ShownWorkflow, phase: string, drawing: Drawing): string {
  const calls = callList.filter((call) => call.phase === phase);
  const ended = calls.filter(({ state }) => state === 'ended').length;
  return spoken(drawing, `${showLine(phase, 100)} · ${ended} of ${calls.length}`);
}

function readCost(view: View, { agentId }: WorkflowCallView) {
  return agentId === undefined ? undefined : view.cost.byAgent.get(agentId);
}

function readTime(view: View, { agentId = '' }: WorkflowCallView, { now }: Drawing): number | undefined {
  const agent = view.agents.get(agentId);
  return agent && (agent.endedAt ?? now) - agent.startedAt;
}

function explainKeys(run: ShownWorkflow, call: WorkflowCallView | undefined, panel: WorkflowPanel): string {
  if (panel.isStopping)
    return `Stop the workflow ${showLine(run.name, 60)}? y to stop it, any other key to cancel.`;
  if (panel.said !== undefined) return panel.said;
  const isOpen = call !== undefined && call.state !== 'ended';
  return [
    ...(call?.agentId === undefined ? [] : ['return opens its agent']),
    ...(isOpen && run.status === 'running' ? ['s skips the call'] : []),
    ...(run.status === 'running' ? ['x stops the run'] : []),
    ...(canResume(run) ? ['r resumes', 'e edits the script and resumes'] : []),
    'o its output',
    'esc goes back',
  ].join(' · ');
}

/** Anything but a run that completed, or runs, has something left to do. */
export function canResume({ status }: ShownWorkflow): boolean {
  return status !== 'running' && status !== 'completed';
}
