import type { Problem } from '../../lib/result.ts';
import type { Desk } from '../desk.ts';
import { applyKey, emptyEditor, expandText, pasteText } from '../editor/index.ts';
import type { Key } from '../keys/key.ts';
import { promptWidth } from '../screen/prompt-lines.ts';
import type { Panel, PickRow } from '../state.ts';
import { plainLines } from './review.ts';

type ReviewPanel = Extract<Panel, { kind: 'review' }>;

/** A list of this session's worktrees, for one to be reviewed. */
export async function pickReview(desk: Desk): Promise<void> {
  const { listReviews } = await loadWork();
  const rows = await listReviews(desk.session);
  if (!rows.ok) return void desk.warn(explain(rows.problem));
  if (rows.value.length === 0)
    return void desk.tell('This session has no worktrees. cadre worktree list shows those of others.');
  desk.open({
    kind: 'pick',
    title: 'Which worktree?',
    rows: rows.value,
    selected: 0,
    pick: ({ value }) => void openReview(desk, { name: value }),
  });
}

/** This session's worktrees as rows; none where there are no worktrees at all. */
export async function listReviewRows(desk: Desk): Promise<readonly PickRow[]> {
  const { listReviews } = await loadWork();
  const rows = await listReviews(desk.session);
  return rows.ok ? rows.value : [];
}

/** Opens the work of an agent, or in a worktree. */
export async function openReview(
  desk: Desk,
  { agentId, name, row }: { agentId?: string; name?: string; row?: string },
): Promise<void> {
  const { readReview } = await loadWork();
  const shown = await readReview(desk.session, name ?? agentId ?? '');
  if (shown.ok) return void desk.open({ ...shown.value, ...(row === undefined ? {} : { row }) });
  const said = explain(shown.problem);
  if (row === undefined) desk.warn(said);
  else desk.open({ kind: 'tasks', selected: row, said });
}

export function pressReview(desk: Desk, panel: ReviewPanel, key: Key): void {
  const { said: _, ...open } = panel;
  if (panel.comment) return void pressComment(desk, panel, key);
  // Also of what a yes is for: it may be longer than the screen.
  const last = Math.max(0, panel.lines.length - 1);
  const by = countLines(key, Math.max(1, desk.app.state.rows - 6), last);
  if (by !== 0) return void desk.open({ ...open, down: Math.min(Math.max(0, panel.down + by), last) });
  if (panel.confirming) {
    if (key.text?.toLowerCase() === 'y') return void carry(desk, open, panel.confirming.carry);
    return void openReview(desk, { name: panel.name, ...pickRow(panel) });
  }
  if (key.text === 'q') return void desk.app.closePanel();
  if (panel.isGone) return;
  if (key.text === 'l') return void ask(desk, open, 'Land exactly this?', 'land');
  if (key.text === 'd') return void ask(desk, open, 'Remove it with all that is in it?', 'drop');
  if (key.text === 'r' && panel.agentId !== null) return void desk.open({ ...open, comment: emptyEditor() });
}

/** The lines that a key scrolls by. */
function countLines(key: Key, leap: number, last: number): number {
  const steps: Record<string, number> = {
    ...{ up: -1, down: 1, pageup: -leap, pagedown: leap, home: -last, end: last },
  };
  return steps[key.name] ?? (key.text === ' ' ? leap : 0);
}

/** What a yes would do is shown in place of the patch; the yes is for exactly that. */
async function ask(desk: Desk, panel: ReviewPanel, question: string, act: 'land' | 'drop'): Promise<void> {
  const report = openReport(desk, panel);
  const { prepareAct } = await loadWork();
  const prepared = await prepareAct(desk.session, act, panel.name, report);
  if (!isInFront(desk, panel)) return;
  const { said: _, ...open } = panel;
  if (!prepared.ok) return void desk.open({ ...open, said: explain(prepared.problem) });
  if (typeof prepared.value === 'string')
    return void desk.open({ ...open, lines: plainLines(prepared.value), down: 0 });
  const { text, carry: does } = prepared.value;
  desk.open({ ...open, lines: plainLines(text), down: 0, confirming: { question, carry: does } });
}

/** What is running, as long as the panel is in front: a gate may take minutes. */
function openReport(desk: Desk, panel: ReviewPanel): (text: string) => void {
  const report = (said: string) => {
    const { panel: now } = desk.app.state;
    if (now?.kind === 'review' && now.name === panel.name) desk.open({ ...now, said });
  };
  desk.open({ ...panel, said: 'Loading …' });
  return (text) => report(text === '' ? 'Loading …' : text);
}

type Carry = NonNullable<ReviewPanel['confirming']>['carry'];

async function carry(desk: Desk, panel: ReviewPanel, does: Carry): Promise<void> {
  const { confirming: _, ...open } = panel;
  desk.open({ ...open, said: 'Working …' });
  const { text, isGone } = await does();
  const lines = plainLines(text);
  if (isInFront(desk, panel)) desk.open({ ...open, lines, down: 0, ...(isGone ? { isGone } : {}) });
  else desk.tell(lines.map(({ text }) => text).join('\n'));
  desk.lookAtBranch();
}

function pressComment(desk: Desk, panel: ReviewPanel, key: Key): void {
  const { comment = emptyEditor(), ...open } = panel;
  if (key.name === 'escape') return void desk.open(open);
  const width = promptWidth(comment, desk.app.drawing());
  const { editor, effect } = applyKey(comment, key, { width, history: [] });
  if (effect === 'submit') void giveBack(desk, open, expandText(editor));
  else desk.open({ ...panel, comment: editor });
}

export function pasteComment(desk: Desk, panel: ReviewPanel, text: string): void {
  if (panel.comment) desk.open({ ...panel, comment: pasteText(panel.comment, text) });
}

async function giveBack(desk: Desk, panel: ReviewPanel, comment: string): Promise<void> {
  const report = openReport(desk, panel);
  const { sendBack } = await loadWork();
  const said = await sendBack(desk.session, panel, comment, report);
  if (isInFront(desk, panel)) desk.open({ ...panel, said });
  else desk.tell(said);
}

function isInFront({ app }: Desk, { name }: ReviewPanel): boolean {
  const { panel } = app.state;
  return panel?.kind === 'review' && panel.name === name;
}

function pickRow({ row }: ReviewPanel): { row?: string } {
  return row === undefined ? {} : { row };
}

/** Landing is loaded for the first review. */
function loadWork(): Promise<typeof import('./review-work.ts')> {
  return import('./review-work.ts');
}

function explain({ message, hint = '' }: Problem): string {
  return `${message} ${hint}`.trim();
}
