import type { Drawing } from '../drawing.ts';
import { dialogLines } from '../questions/dialog-lines.ts';
import { askerLine, questionLines } from '../questions/question-lines.ts';
import type { Asking, Menu, State } from '../state.ts';
import { pad, showLine, truncate } from '../text/index.ts';
import { keepLast, styled } from './layout.ts';
import { liveLines } from './live-lines.ts';
import { type Drawn, placeholder, promptHeight, promptLines } from './prompt-lines.ts';
import { shellLines } from './shell-lines.ts';
import { statusLines } from './status-line.ts';

/** All that moves, within the height of the screen: what is under way, the question, the prompt, the status. */
export function frame(state: State, drawing: Drawing): Drawn {
  const { view, asking, rows } = state;
  const isTyping = !asking?.isFocused;
  const prompt = promptLines(
    state.editor,
    { most: promptHeight(rows), placeholder, isActive: isTyping },
    drawing,
  );
  const status = statusLines(view, statusOptions(state), drawing);
  const question = asking ? askingLines(asking, state, drawing) : { lines: [] };
  const queued = queuedLines(state, drawing);
  const menu = state.menu && isTyping ? menuLines(state.menu, drawing) : [];
  const below = queued.length + question.lines.length + menu.length + prompt.lines.length + status.length;
  // Two rows are never ours: one below the last line, and one above, for terminals that keep a screen that is cleared whole.
  const room = Math.max(0, rows - 2 - below);
  const live = room < 2 ? [] : keepLast(movingLines(state, drawing), room - 1, drawing);
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

function movingLines({ view, rest, shells = [] }: State, drawing: Drawing): string[] {
  return [...liveLines(view, rest, drawing), ...shellLines(shells, drawing)];
}

function statusOptions({ status, hint, view, asking }: State) {
  return {
    // The one that is shown says itself how many there are.
    questions: asking ? 0 : view.questions.length,
    ...(status ? { custom: status } : {}),
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

/** The question in its whole length, or where it is written, and the answers to it. */
function askingLines(asking: Asking, { view }: State, drawing: Drawing): Drawn {
  const { entry, dialog, isFocused, isPrinted } = asking;
  const waiting = view.questions.length;
  const at = view.questions.findIndex(({ question }) => question.id === entry.question.id) + 1;
  const count = waiting > 1 ? `question ${Math.max(1, at)} of ${waiting}` : 'question';
  const head = drawing.plain
    ? [`${count}:`]
    : [styled(drawing, isFocused ? 'warning' : 'border', `── ${count} `.padEnd(drawing.width, '─'))];
  const who = truncate(askerLine(entry, view, drawing), drawing.width);
  const text = isPrinted
    ? [styled(drawing, 'dim', '(it is written above)')]
    : questionLines(dialog.form.question, drawing);
  const form = dialogLines(dialog, isFocused, drawing);
  const lines = [...head, who, ...text, ...form.lines];
  if (!form.cursor) return { lines };
  return { lines, cursor: { x: form.cursor.x, y: form.cursor.y + head.length + 1 + text.length } };
}

/** Whether a question fits above its answers. */
export function fits(asking: Asking, state: State, drawing: Drawing): boolean {
  return askingLines({ ...asking, isPrinted: false }, state, drawing).lines.length <= state.rows - 9;
}

const menuRows = 8;

function menuLines({ items, selected }: Menu, drawing: Drawing): string[] {
  const from = Math.min(Math.max(0, selected - menuRows + 1), Math.max(0, items.length - menuRows));
  return items.slice(from, from + menuRows).map(({ value, note }, index) => {
    const isUnder = from + index === selected;
    const line = truncate(
      `${isUnder ? '❯ ' : '  '}${pad(showLine(value, 60), 28)} ${showLine(note, 200)}`,
      drawing.width,
    );
    return styled(drawing, isUnder ? 'accent' : 'dim', line);
  });
}
