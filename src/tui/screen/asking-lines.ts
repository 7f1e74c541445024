import type { View } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { dialogLines, shortDialogLines, titleLines } from '../questions/dialog-lines.ts';
import { askerLine, questionParts, questionSource } from '../questions/question-lines.ts';
import { type Read, readPage } from '../questions/read.ts';
import type { Asking } from '../state.ts';
import { spoken, styled } from './layout.ts';
import type { Drawn } from './prompt-lines.ts';

export interface AskingDrawn extends Drawn {
  /** How far the text can be scrolled, and by how much at once. */
  readonly scroll: { readonly most: number; readonly page: number };
  /** The part read so far, and the number of lines left. */
  readonly read: Read;
  readonly unread: number;
  /** Some of the answers are not visible. */
  readonly isCut: boolean;
}

/** Rows of the question that must have room: the command itself, and its context. */
const minText = 2;
/** From so many free rows on there is room around the subject. */
const minSpare = 7;

/**
 * The asking agent, the question and its answers, within the given height. If space is short, the answers share a row; part
 * of the question is always visible, and all of it can be scrolled to. Undefined if there is no room
 * for that.
 */
export function askingLines(
  asking: Asking,
  view: View,
  { height, isHeaded }: { height: number; isHeaded: boolean },
  drawing: Drawing,
): AskingDrawn | undefined {
  const { entry, dialog, isFocused, down } = asking;
  const source = questionSource(dialog.form.question);
  const who = askerLine({ ...entry, question: dialog.form.question }, view, drawing, source);
  const { subject, facts } = questionParts(dialog.form.question, drawing, source);
  const above = isHeaded ? 2 : 1;
  const room = height - above;
  const whole = dialogLines(dialog, isFocused, drawing);
  const spare = room - subject.length - facts.length - whole.lines.length;
  const isWhole = spare >= 0;
  const isAiry = spare >= minSpare && subject.length > 0 && !drawing.plain;
  const { allows } = dialog.form.question;
  const asked = isAiry
    ? [
        ...(allows === undefined ? [''] : []),
        ...trimEnd(subject),
        '',
        ...facts,
        ...(facts.length > 0 ? [''] : []),
      ]
    : [...subject, ...facts];
  const text = isWhole || asked.length > 0 ? asked : titleLines(dialog, drawing);
  const most = room - Math.min(minText, text.length);
  const short = (isScrolled: boolean, one = dialog, unread = 0) =>
    shortDialogLines(one, { isFocused, isScrolled, unread, isTitled: asked.length > 0, most }, drawing);
  // Measured as it opens: the note of the answer under the cursor may take one of the question's rows.
  const { typing: _, ...opened } = { ...dialog, cursor: 0 };
  if (!isWhole && short(true, opened, text.length).lines.length > most) return undefined;
  const tried = isWhole ? whole : short(false);
  const isLong = text.length + tried.lines.length > room;
  // The answers stay in place, whether or not there are lines left to read.
  const forms = isLong ? [short(true, dialog, text.length), short(true)] : [tried];
  const page = Math.max(1, room - Math.max(...forms.map(({ lines }) => lines.length)));
  const furthest = Math.max(0, text.length - page);
  const from = Math.min(down, furthest);
  const told = asked.length > 0 ? source.text : `${source.text}\n${dialog.at}`;
  const here = { text: told, width: drawing.width, from, rows: page, total: text.length };
  const read = readPage(asking.read, here);
  const unread = read.isWhole ? 0 : text.length - read.to;
  const form = isLong ? short(true, dialog, unread) : tried;
  const place = furthest > 0 ? ` · lines ${from + 1}–${from + page} of ${text.length}` : '';
  const shown = text.slice(from, from + page);
  return {
    lines: [...(isHeaded ? [headLine(asking, view, place, drawing)] : []), who, ...shown, ...form.lines],
    ...(form.cursor ? { cursor: { x: form.cursor.x, y: form.cursor.y + above + shown.length } } : {}),
    scroll: { most: furthest, page },
    read,
    unread,
    isCut: 'isCut' in form && form.isCut === true,
  };
}

/** A drawn plan may end in an empty line. */
function trimEnd(lines: readonly string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

function headLine({ entry, isFocused }: Asking, view: View, place: string, drawing: Drawing): string {
  const waiting = view.questions.length;
  const at = view.questions.findIndex(({ question }) => question.id === entry.question.id) + 1;
  const others = isFocused ? (drawing.plain ? ' (left and right: the others)' : ' · ← → the others') : '';
  const count = waiting > 1 ? `question ${Math.max(1, at)} of ${waiting}${others}` : 'question';
  if (drawing.plain) return spoken(drawing, `${count}${place}:`);
  return styled(drawing, isFocused ? 'warning' : 'border', `── ${count}${place} `.padEnd(drawing.width, '─'));
}
