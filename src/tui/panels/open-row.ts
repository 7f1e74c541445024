import { readBounded } from '../../tools/bash/output.ts';
import type { Desk } from '../desk.ts';
import type { Back, Panel } from '../state.ts';
import { zoom } from './open-zoom.ts';
import type { WorkRow } from './rows.ts';

const maxShown = 200_000;

/** Zooms into a piece of work: an agent's conversation, a workflow's calls, a command's output. */
export function openRow(desk: Desk, row: WorkRow, back?: Back): void {
  if (row.kind === 'agent') return void zoom(desk, row.id, back);
  if (row.kind === 'member') {
    if (row.agent) return void zoom(desk, row.id, back);
    return void desk.open({ kind: 'team', selected: row.id, up: 0 });
  }
  if (row.kind === 'call') {
    const { agentId = '' } = row.call;
    if (desk.app.state.view.agents.has(agentId)) zoom(desk, agentId, back);
    return;
  }
  const { id } = row;
  const run = [...desk.app.state.view.workflows.values()].findLast(({ taskId }) => taskId === id);
  if (run)
    return void desk.open({ kind: 'workflow', runId: run.runId, selected: null, ...placeBack(back, id) });
  openOutput(desk, row, back);
}

/** What a command, or a workflow's run, has printed so far. */
export function openOutput(desk: Desk, { id, task }: Extract<WorkRow, { kind: 'task' }>, back?: Back): void {
  const title = `${task.description} (${task.state})`;
  const text = readBounded(task.outputFile, maxShown).text || '(no output)';
  desk.open({ kind: 'page', title, text, down: 0, ...placeBack(back, id) });
}

function placeBack(back: Back | undefined, id: string): { row?: string; under?: Panel } {
  if (back === undefined) return { row: id };
  return back === 'conversation' ? {} : { under: back };
}
