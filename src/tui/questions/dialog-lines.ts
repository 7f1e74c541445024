import type { Drawing } from '../drawing.ts';
import { layoutEditor } from '../editor/index.ts';
import { hang, styled } from '../screen/layout.ts';
import type { Drawn } from '../screen/prompt-lines.ts';
import { wrap } from '../text/index.ts';
import { type Dialog, fieldOf } from './dialog.ts';
import type { Option } from './field.ts';

/** The field that is asked now, with its answers. */
export function dialogLines(dialog: Dialog, isFocused: boolean, drawing: Drawing): Drawn {
  const { form, at, typing } = dialog;
  const field = fieldOf(dialog);
  const place = form.fields.length > 1 ? ` (${at + 1} of ${form.fields.length})` : '';
  const title = wrap(field.title + place, drawing.width).map((line) => styled(drawing, 'strong', line));
  const options = field.options.flatMap((option, index) =>
    optionLines(option, index === dialog.cursor && isFocused, dialog, drawing),
  );
  if (!typing)
    return { lines: [...title, ...options, ...keyLines(keysOf(field.isMany, isFocused), drawing)] };
  const label = `${typing.option.asks ?? ''}: `;
  const { rows, cursor } = layoutEditor(typing.editor, Math.max(10, drawing.width - 4));
  const lines = [
    ...title,
    styled(drawing, 'info', label),
    ...rows.map(({ text }) => `  ${text}`),
    ...keyLines('return sends · esc goes back', drawing),
  ];
  return { lines, cursor: { x: 2 + cursor.column, y: title.length + 1 + cursor.row } };
}

function optionLines(
  option: Option,
  isUnder: boolean,
  { marked, ...dialog }: Dialog,
  drawing: Drawing,
): string[] {
  const pointer = isUnder ? (drawing.plain ? '> ' : '❯ ') : '  ';
  const box = fieldOf({ marked, ...dialog }).isMany ? (marked.includes(option.key) ? '[x] ' : '[ ] ') : '';
  const first = `${pointer}${option.key}  ${box}`;
  const lines = hang(wrap(option.label, Math.max(10, drawing.width - first.length)), first);
  return isUnder ? lines.map((line) => styled(drawing, 'accent', line)) : lines;
}

function keyLines(text: string, drawing: Drawing): string[] {
  return wrap(text, drawing.width).map((line) => styled(drawing, 'dim', line));
}

function keysOf(isMany: boolean | undefined, isFocused: boolean): string {
  if (!isFocused) return 'ctrl-q answers; what you have typed stays';
  return isMany
    ? 'space marks · return sends · esc puts it aside'
    : 'a key or return answers · esc puts it aside';
}
