import type { Drawing } from '../drawing.ts';
import type { Asking, Menu, State } from '../state.ts';
import { pad, showLine, truncate, width } from '../text/index.ts';
import { type AskingDrawn, askingLines } from './asking-lines.ts';
import { keepLast, pointer, styled } from './layout.ts';
import { liveLines } from './live-lines.ts';
import { type Drawn, placeholder, promptHeight, promptLines } from './prompt-lines.ts';
import { shellLines } from './shell-lines.ts';
import { statusLines } from './status-line.ts';

/** All that moves, within the height of the screen: what is under way, the question, the prompt, the status. */
export function frame(state: State, drawing: Drawing): Drawn {
  const { prompt, status, queued, menu, asking, room } = parts(state, drawing);
  const question: Drawn = asking ?? { lines: [] };
  const live = room < 2 || drawing.isDumb ? [] : keepLast(movingLines(state, drawing), room - 1, drawing);
  const gap = room > live.length ? [''] : [];
  const above = [...live, ...gap, ...queued];
  const cursor = question.cursor
    ? { x: question.cursor.x, y: question.cursor.y + above.length }
    : prompt.cursor && {
        x: prompt.cursor.x,
        y: prompt.cursor.y + above.length + question.lines.length + menu.length,
      };
  return {
    lines: [...above, ...question.lines, ...menu, ...prompt.lines, ...status],
    ...(cursor ? { cursor } : {}),
  };
}

interface Parts {
  prompt: Drawn;
  status: string[];
  queued: string[];
  menu: string[];
  asking: AskingDrawn | undefined;
  /** Rows for what is under way: whatever the others leave. */
  room: number;
}

/** A question has what it needs before anything else that could be elsewhere. */
function parts(state: State, drawing: Drawing): Parts {
  const { view, asking, rows } = state;
  const isTyping = !asking?.isFocused;
  const most = asking ? Math.min(promptHeight(rows), leastPrompt) : promptHeight(rows);
  const prompt = promptLines(state.editor, { most, placeholder, isActive: isTyping }, drawing);
  const status = statusLines(view, statusOptions(state, drawing), drawing);
  // Two rows are never ours: one below the last line, and one above, for terminals that keep a screen that is cleared whole.
  const free = Math.max(0, rows - 2 - prompt.lines.length - status.length);
  const others = {
    queued: queuedLines(state, drawing),
    menu: state.menu && isTyping ? menuLines(state.menu, drawing) : [],
  };
  const isTight = asking !== undefined && free - others.queued.length - others.menu.length < leastQuestion;
  const { queued, menu } = isTight ? { queued: [], menu: [] } : others;
  const left = free - queued.length - menu.length;
  const drawn = asking && askingLines(asking, view, left, drawing);
  const room = Math.max(0, left - (drawn?.lines.length ?? 0));
  return { prompt, status, queued, menu, asking: drawn, room };
}

const leastPrompt = 3;
const leastQuestion = 12;

function movingLines({ view, rest, shells = [] }: State, drawing: Drawing): string[] {
  return [...liveLines(view, rest, drawing), ...shellLines(shells, drawing)];
}

function statusOptions({ status, hint, view, asking }: State, { isDumb }: Drawing) {
  return {
    // The one that is shown says itself how many there are.
    questions: asking ? 0 : view.questions.length,
    ...(status ? { custom: status } : {}),
    ...(isDumb ? { custom: [] } : {}),
    ...(hint === undefined ? {} : { hint }),
  };
}

const queuedShown = 3;

/** What was sent and is not read yet. */
function queuedLines({ view }: State, drawing: Drawing): string[] {
  if (view.session.runStartedAt === null) return [];
  return view.queued.slice(0, queuedShown).map(({ text }) => {
    const line = `${drawing.plain ? 'Waits to be read: ' : '⋯ '}${showLine(text, 300)}`;
    return styled(drawing, 'dim', truncate(line, drawing.width));
  });
}

/** How far the question that is shown can be scrolled. */
export function questionScroll(asking: Asking, state: State, drawing: Drawing): AskingDrawn['scroll'] {
  const { asking: drawn } = parts({ ...state, asking }, drawing);
  return drawn?.scroll ?? { most: 0, page: 1 };
}

const menuRows = 8;

const widestName = 28;

function menuLines({ items, selected }: Menu, drawing: Drawing): string[] {
  // What a name does not need is left to what it means.
  const names = Math.min(widestName, Math.max(...items.map(({ value }) => width(showLine(value, 60)))));
  const from = Math.min(Math.max(0, selected - menuRows + 1), Math.max(0, items.length - menuRows));
  return items.slice(from, from + menuRows).map(({ value, note }, index) => {
    const isUnder = from + index === selected;
    const line = truncate(
      `${pointer(isUnder, drawing)}${pad(showLine(value, 60), names)}  ${showLine(note, 200)}`,
      drawing.width,
    );
    return styled(drawing, isUnder ? 'accent' : 'dim', line);
  });
}
