import type { View } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { dialogLines, shortDialogLines, titleLines } from '../questions/dialog-lines.ts';
import { askerLine, questionLines } from '../questions/question-lines.ts';
import type { Asking } from '../state.ts';
import { spoken, styled } from './layout.ts';
import type { Drawn } from './prompt-lines.ts';

export interface AskingDrawn extends Drawn {
  /** How far down the text can be scrolled, and by how much at once. */
  readonly scroll: { readonly most: number; readonly page: number };
}

/** Less than this is of no use to anybody. */
const leastHeight = 6;

/**
 * Who asks, what for, and the answers to it, within the given height. Where it is short the answers stand in a row; of
 * what is asked there is always something in sight, and all of it can be scrolled to.
 */
export function askingLines(asking: Asking, view: View, height: number, drawing: Drawing): AskingDrawn {
  const { entry, dialog, isFocused, down } = asking;
  const who = askerLine(entry, view, drawing);
  const asked = questionLines(dialog.form.question, drawing);
  const room = Math.max(leastHeight, height) - 2;
  const whole = dialogLines(dialog, isFocused, drawing);
  const isWhole = asked.length + whole.lines.length <= room;
  const text = isWhole || asked.length > 0 ? asked : titleLines(dialog, drawing);
  const short = (isScrolled: boolean) =>
    shortDialogLines(
      dialog,
      { isFocused, isScrolled, isTitled: asked.length > 0, most: room - Math.min(2, text.length) },
      drawing,
    );
  const tried = isWhole ? whole : short(false);
  const form = text.length + tried.lines.length > room ? short(true) : tried;
  const page = Math.max(1, room - form.lines.length);
  const most = Math.max(0, text.length - page);
  const from = Math.min(down, most);
  const place = most > 0 ? ` · lines ${from + 1}–${from + page} of ${text.length}` : '';
  const shown = text.slice(from, from + page);
  return {
    lines: [headLine(asking, view, place, drawing), who, ...shown, ...form.lines],
    ...(form.cursor ? { cursor: { x: form.cursor.x, y: form.cursor.y + 2 + shown.length } } : {}),
    scroll: { most, page },
  };
}

function headLine({ entry, isFocused }: Asking, view: View, place: string, drawing: Drawing): string {
  const waiting = view.questions.length;
  const at = view.questions.findIndex(({ question }) => question.id === entry.question.id) + 1;
  const count = waiting > 1 ? `question ${Math.max(1, at)} of ${waiting}` : 'question';
  if (drawing.plain) return spoken(drawing, `${count}${place}:`);
  return styled(drawing, isFocused ? 'warning' : 'border', `── ${count}${place} `.padEnd(drawing.width, '─'));
}
