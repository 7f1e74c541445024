import type { Drawing } from '../drawing.ts';
import type { Asking, ScreenState } from '../state.ts';
import type { AskingDrawn } from './asking-lines.ts';
import { keepLast } from './layout.ts';
import { liveLines } from './live-lines.ts';
import { parts } from './parts.ts';
import type { Drawn } from './prompt-lines.ts';
import { shellLines } from './shell-lines.ts';

/** The moving part, within the height of the screen: running work, the question, the prompt, the status. */
export function frame(state: ScreenState, drawing: Drawing): Drawn {
  const { prompt, status, queued, menu, question, room } = parts(state, drawing);
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

function movingLines({ view, rest, shells = [] }: ScreenState, drawing: Drawing): string[] {
  return [...liveLines(view, rest, drawing), ...shellLines(shells, drawing)];
}

/** The layout of the question shown; undefined if there is no room for it. */
export function questionShown(asking: Asking, state: ScreenState, drawing: Drawing): AskingDrawn | undefined {
  const { question } = parts({ ...state, asking }, drawing);
  return 'scroll' in question ? question : undefined;
}
