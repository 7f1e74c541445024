import { extname } from 'node:path';
import type { Desk } from '../desk.ts';
import { writeText } from '../edit-file.ts';
import type { Key } from '../keys/key.ts';
import { openOutput, openRow } from './open-row.ts';
import { workRows } from './rows.ts';
import { canResume, findCall, listCalls, type WorkflowPanel } from './workflow.ts';

export function pressWorkflow(desk: Desk, panel: WorkflowPanel, key: Key): void {
  const { view } = desk.app.state;
  const run = view.workflows.get(panel.runId);
  if (!run) return void desk.app.closePanel();
  const { isStopping, said: _, ...open } = panel;
  if (isStopping) {
    if (key.text?.toLowerCase() === 'y') desk.send({ type: 'stop_task', taskId: run.taskId });
    return void desk.open(open);
  }
  const calls = listCalls(run);
  const at = findCall(calls, panel.selected);
  const call = calls[at];
  const leap = Math.max(1, desk.app.state.rows - 8);
  const steps: Record<string, number> = {
    ...{ up: -1, down: 1, pageup: -leap, pagedown: leap, home: -calls.length, end: calls.length },
  };
  const by = steps[key.name];
  if (by !== undefined) {
    const next = calls[Math.min(Math.max(0, at + by), Math.max(0, calls.length - 1))];
    return void desk.open({ ...open, selected: next?.callId ?? null });
  }
  const here = { ...open, selected: call?.callId ?? null };
  if (key.text === 'q') return void desk.app.closePanel();
  if (key.name === 'return' && call) return void openRow(desk, { kind: 'call', id: call.callId, call }, here);
  if (key.text === 's' && call && call.state !== 'ended' && run.status === 'running')
    return void desk.send({ type: 'skip_workflow_call', runId: run.runId, callId: call.callId });
  if (key.text === 'x' && run.status === 'running') return void desk.open({ ...here, isStopping: true });
  const task = workRows(view).find((row) => row.kind === 'task' && row.id === run.taskId);
  if (key.text === 'o' && task?.kind === 'task') return void openOutput(desk, task, here);
  if (!canResume(run)) return;
  if (key.text === 'r') void resume(desk, here);
  if (key.text === 'e') void editAndResume(desk, here, run.name);
}

/** Finished calls are not paid again: their recorded ends are used. */
async function resume(desk: Desk, panel: WorkflowPanel, source?: string): Promise<void> {
  const session = desk.own();
  if (!session) return;
  desk.open({ ...panel, said: 'Resuming …' });
  const given = source === undefined ? {} : { source };
  const started = await session.spawn({ kind: 'local_workflow', resume: panel.runId, ...given });
  const now = desk.app.state.panel;
  if (now?.kind !== 'workflow' || now.runId !== panel.runId) return;
  if (started.ok) return void desk.open(panel);
  const { message, hint } = started.problem;
  desk.open({ ...panel, said: [message, hint].filter(Boolean).join(' ') });
}

/** The script as it is now opens in the user's editor; what they save replaces it. */
async function editAndResume(desk: Desk, panel: WorkflowPanel, name: string): Promise<void> {
  const session = desk.own();
  if (!session) return;
  const { scripts } = await session.workflows().list();
  const script = scripts.find(({ meta }) => meta.name === name);
  if (!script)
    return void desk.open({
      ...panel,
      said: `The script of ${name} is not among the workflows here. Edit its file and run: cadre run FILE --resume ${panel.runId}`,
    });
  const source = await desk.world.edit(script.source, extname(script.file));
  if (source === undefined)
    return void desk.open({ ...panel, said: 'The editor failed, so nothing was changed.' });
  if (source === script.source) return resume(desk, panel);
  const written = writeText(script.file, source);
  if (!written.ok) return void desk.open({ ...panel, said: written.problem.message });
  await resume(desk, panel, source);
}
