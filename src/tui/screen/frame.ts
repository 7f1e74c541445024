import type { Drawing } from '../drawing.ts';
import type { Asking, ScreenState } from '../state.ts';
import type { AskingDrawn } from './asking-lines.ts';
import { keepLast } from './layout.ts';
import { liveLines, waitLines } from './live-lines.ts';
import { lookLines } from './look-lines.ts';
import { parts } from './parts.ts';
import type { Drawn } from './prompt-lines.ts';
import { shellLines } from './shell-lines.ts';

/** The moving part, within the height of the screen: running work, the question, the prompt, the status. */
export function frame(state: ScreenState, drawing: Drawing): Drawn {
  const { prompt, status, queued, menu, question, room } = parts(state, drawing);
  const live = room < 2 || drawing.isDumb ? [] : liveWithin(state, room - 1, drawing);
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

/** How long the provider keeps us waiting is the last thing to be cut. */
function liveWithin(state: ScreenState, room: number, drawing: Drawing): string[] {
  const { wait } = state.view.lead.live;
  const waits = wait ? waitLines(wait, drawing).slice(0, room) : [];
  const left = room - waits.length;
  return [...(left > 0 ? keepLast(movingLines(state, drawing), left, drawing) : []), ...waits];
}

function movingLines(
  { view, rest, looks = [], shells = [], asking }: ScreenState,
  drawing: Drawing,
): string[] {
  const looked = looks.length > 0 ? ['', ...lookLines(looks, drawing)] : [];
  return [...looked, ...liveLines(view, rest, drawing, holdsTurn(asking)), ...shellLines(shells, drawing)];
}

/** The turn waits for this answer, and the keys are the question's. */
function holdsTurn(asking: Asking | undefined): boolean {
  return asking?.isFocused === true && !asking.entry.question.asker.background;
}

/** The layout of the question shown; undefined if there is no room for it. */
export function questionShown(asking: Asking, state: ScreenState, drawing: Drawing): AskingDrawn | undefined {
  const { question } = parts({ ...state, asking }, drawing);
  return 'scroll' in question ? question : undefined;
}
