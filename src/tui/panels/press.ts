import { isAtWork } from '../../view/index.ts';
import type { Desk } from '../desk.ts';
import { applyKey, type Editor, emptyEditor, expandText, isEmpty, pasteText } from '../editor/index.ts';
import type { Key } from '../keys/key.ts';
import { promptWidth } from '../screen/prompt-lines.ts';
import { letterTo, type Panel } from '../state.ts';
import { pressChanges } from './changes.ts';
import { drawPage } from './draw.ts';
import { pressField } from './field.ts';
import { openRow } from './open-row.ts';
import { pressPick } from './pick.ts';
import { openReview, pressReview } from './press-review.ts';
import { pressBoard, pressTeam } from './press-team.ts';
import { endSearch, openTranscript, pressTranscript } from './press-transcript.ts';
import { pressWorkflow } from './press-workflow.ts';
import { findSelected, isUnderWay, type WorkRow, workRows } from './rows.ts';

type PanelOf<Kind extends Panel['kind']> = Extract<Panel, { kind: Kind }>;

/** A key for the front panel. */
export function pressPanel(desk: Desk, panel: Panel, key: Key): void {
  if (key.name === 'escape' && panel.kind === 'transcript' && panel.query !== undefined)
    return void endSearch(desk, panel);
  const isConfirming = 'confirming' in panel || 'comment' in panel || 'isStopping' in panel;
  if (key.name === 'escape' && !isConfirming) return void back(desk, panel);
  switch (panel.kind) {
    case 'tasks':
      return void pressTasks(desk, panel, key);
    case 'zoom':
      return void pressZoom(desk, panel, key);
    case 'page':
      return void pressPage(desk, panel, key);
    case 'team':
      return void pressTeam(desk, panel, key);
    case 'board':
      return void pressBoard(desk, panel, key);
    case 'changes':
      return void (key.text === 'q' ? back(desk, panel) : pressChanges(desk, panel, key));
    case 'transcript':
      return void pressTranscript(desk, panel, key);
    case 'workflow':
      return void pressWorkflow(desk, panel, key);
    case 'review':
      return void pressReview(desk, panel, key);
    case 'field':
      return void pressField(desk, panel, key);
    case 'pick':
      return void pressPick(desk, panel, key);
  }
}

/** Back to where it was opened from: another panel, or the conversation. */
function back(desk: Desk, panel: Panel): void {
  if (panel.kind === 'pick' && panel.goBack) return void panel.goBack();
  const under = 'under' in panel ? panel.under : undefined;
  if (under === 'conversation') return void desk.app.closePanel();
  if (under) return void desk.open(under);
  const row = panel.kind === 'zoom' ? panel.agentId : 'row' in panel ? panel.row : undefined;
  if (row === undefined) return void desk.app.closePanel();
  desk.open({ kind: 'tasks', selected: row });
}

function pressTasks(desk: Desk, panel: PanelOf<'tasks'>, key: Key): void {
  const rows = workRows(desk.app.state.view);
  const at = findSelected(rows, panel.selected);
  const row = rows[at];
  const { confirming: _, said: __, ...open } = panel;
  if (panel.confirming !== undefined) {
    if (key.text?.toLowerCase() === 'y') desk.send({ type: 'stop_task', taskId: panel.confirming });
    return void desk.open(open);
  }
  const move = (by: number) => {
    const next = rows[Math.min(Math.max(0, at + by), Math.max(0, rows.length - 1))];
    desk.open({ ...open, selected: next?.id ?? null });
  };
  if (key.name === 'up') return void move(-1);
  if (key.name === 'down') return void move(1);
  if ((key.name === 't' && key.ctrl) || key.text === 'q') return void desk.app.closePanel();
  if (!row) return;
  if (key.name === 'return') return void openRow(desk, row);
  if (key.text === 's' && row.kind === 'call' && isUnderWay(row)) {
    const { runId, callId } = row.call;
    desk.send({ type: 'skip_workflow_call', runId, callId });
    return;
  }
  if (key.text === 'x' && row.kind !== 'call' && isUnderWay(row))
    return void desk.open({ ...open, selected: row.id, confirming: row.id });
  if (key.text === 'd' && (row.kind === 'agent' || (row.kind === 'member' && row.agent)))
    return void openReview(desk, { agentId: row.id, row: row.id });
  if (key.text === 'b' || (key.name === 'b' && key.ctrl))
    return void desk.open({ ...open, selected: row.id, ...toBackground(desk, row) });
}

/** If it cannot be moved, the reason appears where the user asked. */
function toBackground(desk: Desk, row: WorkRow): { said?: string } {
  if (row.kind === 'member' || row.kind === 'call') return { said: 'It is already in the background.' };
  const { callId, isBackgrounded } = row.kind === 'agent' ? row.agent : row.task;
  if (!isUnderWay(row)) return { said: 'It has already ended.' };
  if (isBackgrounded || callId === null) return { said: 'It is already in the background.' };
  const sent = desk.session.send({ type: 'background_tasks', toolUseId: callId });
  return sent.ok ? {} : { said: [sent.problem.message, sent.problem.hint].filter(Boolean).join(' ') };
}

function pressZoom(desk: Desk, panel: PanelOf<'zoom'>, key: Key): void {
  const { rows, view } = desk.app.state;
  const agent = view.agents.get(panel.agentId);
  if (!agent) return void desk.app.closePanel();
  const { said: _, confirming, ...open } = panel;
  if (confirming) {
    if (key.text?.toLowerCase() === 'y') desk.send({ type: 'stop_task', taskId: agent.id });
    return void desk.open(open);
  }
  const scroll = (by: number) => desk.open({ ...open, up: Math.max(0, panel.up + by) });
  const letter = letterTo(desk.app.state, agent.id);
  if (key.name === 'pageup') return void scroll(rows - 8);
  if (key.name === 'pagedown') return void scroll(8 - rows);
  if (isEmpty(letter) && key.name === 'up') return void scroll(1);
  if (isEmpty(letter) && key.name === 'down') return void scroll(-1);
  if (key.ctrl && key.name === 'x') {
    if (isAtWork(agent.state)) desk.open({ ...open, confirming: true });
    return;
  }
  if (key.ctrl && key.name === 'o') return void openTranscript(desk, agent.id, open);
  if (key.ctrl && key.name === 'b') {
    const row: WorkRow = { kind: 'agent', id: agent.id, agent, depth: 0 };
    return void desk.open({ ...open, ...toBackground(desk, row) });
  }
  const { editor, effect } = applyKey(letter, key, {
    width: promptWidth(letter, desk.app.drawing()),
    history: [],
  });
  desk.open(open);
  if (effect === 'submit') void write(desk, open, expandText(editor));
  else keepLetter(desk, agent.id, editor);
}

/** Text pasted in an agent's view goes to that agent. */
export function pasteLetter(desk: Desk, { agentId }: PanelOf<'zoom'>, text: string): void {
  keepLetter(desk, agentId, pasteText(letterTo(desk.app.state, agentId), text));
}

function keepLetter({ app }: Desk, agentId: string, editor: Editor): void {
  app.change({ letters: new Map(app.state.letters).set(agentId, editor) });
}

/** A running agent reads it at its next turn; an ended one resumes with it. */
async function write(desk: Desk, panel: PanelOf<'zoom'>, text: string): Promise<void> {
  if (text.trim() === '') return;
  keepLetter(desk, panel.agentId, emptyEditor());
  desk.open({ ...panel, up: 0 });
  const sent = await desk.session.messageAgent(panel.agentId, text);
  const now = desk.app.state.panel;
  const said = sent.ok ? sent.value : sent.problem.message;
  if (now?.kind === 'zoom' && now.agentId === panel.agentId) desk.open({ ...now, said });
  else desk.tell(said);
}

function pressPage(desk: Desk, panel: PanelOf<'page'>, key: Key): void {
  if (key.text === 'q') return void back(desk, panel);
  const { page, most } = drawPage(panel, desk.app.state.rows, desk.app.drawing());
  const leap = Math.max(1, page - 1);
  const steps: Record<string, number> = {
    up: -1,
    down: 1,
    pageup: -leap,
    pagedown: leap,
    home: -most,
    end: most,
  };
  const by = steps[key.name] ?? (key.text === ' ' ? leap : 0);
  const from = Math.min(panel.down, most);
  if (by !== 0) desk.open({ ...panel, down: Math.min(Math.max(0, from + by), most) });
}
