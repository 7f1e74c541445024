import { type Drawing, minWidth } from '../drawing.ts';
import { isEmpty } from '../editor/index.ts';
import { rosterLines } from '../panels/roster-lines.ts';
import type { Asking, ScreenState } from '../state.ts';
import { type StyleName, showLine, truncate, wrap } from '../text/index.ts';
import { type AskingDrawn, askingLines } from './asking-lines.ts';
import { styled } from './layout.ts';
import { menuLines } from './menu-lines.ts';
import { type Drawn, placeholder, promptHeight, promptLines } from './prompt-lines.ts';
import { modeStyle, statusLines } from './status-line.ts';

/** The parts around the question and the running work. */
interface Around {
  prompt: Drawn;
  status: string[];
  queued: string[];
  menu: string[];
}

export interface Parts extends Around {
  /** Without `scroll` it is not visible and cannot be answered. */
  question: Drawn | AskingDrawn;
  /** Rows for running work: the rest of the screen. */
  room: number;
}

/** Divides the screen. The parts together are never taller: a taller frame would leave copies of itself above. */
export function parts(state: ScreenState, drawing: Drawing): Parts {
  // Two rows are never ours: one below the last line, and one above, for terminals that save a screen when it is cleared whole.
  const height = Math.max(1, state.rows - 2);
  const { asking } = state;
  if (!asking) return withoutQuestion(state, height, drawing);
  return withQuestion(asking, state, height, drawing) ?? tooSmall(state, height, drawing);
}

function withoutQuestion(state: ScreenState, height: number, drawing: Drawing): Parts {
  const { prompt, status: own } = around(state, promptHeight(state.rows), drawing);
  // The conversation keeps half of the rows that the prompt leaves, unless the cursor is in the rows below.
  const rest = height - prompt.lines.length - own.length;
  const room = state.roster === undefined ? Math.floor(rest / 2) : Math.max(minRoster, Math.floor(rest / 2));
  const status = [...own, ...rosterLines(state, Math.min(rest, room), drawing)];
  const free = height - prompt.lines.length - status.length;
  if (free < 0) {
    const bare = barePrompt(state, drawing);
    const left = status.slice(0, height - bare.lines.length);
    return { prompt: bare, status: left, queued: [], menu: [], question: nothing, room: 0 };
  }
  const menu = state.menu ? menuLines(state.menu, free, drawing) : [];
  const waiting = queuedLines(state, drawing);
  const queued = waiting.slice(0, free - menu.length);
  return { prompt, status, queued, menu, question: nothing, room: free - menu.length - queued.length };
}

const nothing: Drawn = { lines: [] };
/** A row, how many there are, and the keys. */
const minRoster = 3;
const minPrompt = 3;
const minQuestion = 12;

/** A question gets its room before anything that can be elsewhere. Undefined if even that is too little. */
function withQuestion(
  asking: Asking,
  state: ScreenState,
  height: number,
  drawing: Drawing,
): Parts | undefined {
  if (state.columns < minWidth) return undefined;
  const isTyping = !asking.isFocused;
  const whole = around(state, Math.min(promptHeight(state.rows), minPrompt), drawing);
  const queued = queuedLines(state, drawing);
  const menu = state.menu && isTyping ? menuLines(state.menu, height, drawing) : [];
  const none = { queued: [], menu: [] };
  const bare = { prompt: isTyping ? barePrompt(state, drawing) : nothing, status: [], ...none };
  const hinted = { ...bare, status: whole.status.slice(0, 1) };
  const tries = [
    { around: { ...whole, queued, menu }, least: minQuestion, isHeaded: true },
    { around: { ...whole, ...none }, least: 1, isHeaded: true },
    // The reply to a key stays until the next one.
    ...(state.hint === undefined ? [] : [{ around: hinted, least: 1, isHeaded: false }]),
    { around: bare, least: 1, isHeaded: true },
    { around: bare, least: 1, isHeaded: false },
  ];
  let best: Parts | undefined;
  for (const { around, least, isHeaded } of tries) {
    const left = height - countRows(around);
    const question =
      left < least ? undefined : askingLines(asking, state.view, { height: left, isHeaded }, drawing);
    if (!question) continue;
    best = { ...around, question, room: left - question.lines.length };
    // The prompt makes room for the answers.
    if (!question.isCut) return best;
  }
  return best;
}

/** An invisible question cannot be answered: it only says how much room it needs, and typed text goes to the prompt. */
function tooSmall(state: ScreenState, height: number, drawing: Drawing): Parts {
  const prompt = isEmpty(state.editor) ? nothing : barePrompt(state, drawing);
  const how = state.columns < minWidth ? 'wider' : 'taller';
  const text = `Too small for the question: make the window ${how}.`;
  const lines = wrap(text, Math.max(1, Math.min(state.columns, drawing.width)))
    .slice(0, height - prompt.lines.length)
    .map((line) => styled(drawing, 'warning', line));
  const room = height - prompt.lines.length - lines.length;
  return { prompt, status: [], queued: [], menu: [], question: { lines }, room };
}

function countRows({ prompt, status, queued, menu }: Around): number {
  return prompt.lines.length + status.length + queued.length + menu.length;
}

function around(state: ScreenState, most: number, drawing: Drawing): Pick<Around, 'prompt' | 'status'> {
  const isActive = !state.asking?.isFocused;
  return {
    prompt: promptLines(
      state.editor,
      { most, placeholder, isActive, frame: modeFrame(state.view.session.mode) },
      drawing,
    ),
    status: statusLines(state.view, statusOptions(state, drawing), drawing),
  };
}

/** A plan, and a mode that asks nothing, are to be kept in mind while typing. */
function modeFrame(mode: string): StyleName | undefined {
  return mode === 'plan' || mode === 'bypassPermissions' ? modeStyle(mode) : undefined;
}

/** Only the row with the cursor. */
function barePrompt({ editor }: ScreenState, drawing: Drawing): Drawn {
  return promptLines(editor, { most: 1, placeholder, isActive: true, isBare: true }, drawing);
}

function statusOptions({ status, hint, view, asking }: ScreenState, { isDumb }: Drawing) {
  return {
    // The question shown says how many there are.
    questions: asking ? 0 : view.questions.length,
    ...(status ? { custom: status } : {}),
    ...(isDumb ? { custom: [] } : {}),
    ...(hint === undefined ? {} : { hint }),
  };
}

const queuedShown = 3;

/** Prompts sent and not read yet. */
function queuedLines({ view }: ScreenState, drawing: Drawing): string[] {
  if (view.session.runStartedAt === null) return [];
  return view.queued.slice(0, queuedShown).map(({ text }) => {
    const line = `${drawing.plain ? 'Queued: ' : '⋯ '}${showLine(text, 300, 'prose')}`;
    return styled(drawing, 'dim', truncate(line, drawing.width));
  });
}
