import type { Drawing } from '../drawing.ts';
import { layoutEditor } from '../editor/index.ts';
import { hang, pointer, spoken, styled } from '../screen/layout.ts';
import type { Drawn } from '../screen/prompt-lines.ts';
import { truncate, width, wrap } from '../text/index.ts';
import { type Dialog, getField, typingWidth } from './dialog.ts';
import type { Option } from './field.ts';

/** The current field, with its answers. */
export function dialogLines(dialog: Dialog, isFocused: boolean, drawing: Drawing): Drawn {
  const title = titleLines(dialog, drawing);
  if (dialog.typing) return typingLines(dialog.typing, title, Number.POSITIVE_INFINITY, drawing);
  const keys = keyLines(describeKeys(dialog, { isFocused, isScrolled: false, unread: 0 }, drawing), drawing);
  return { lines: [...title, ...listLines(dialog, isFocused, drawing), ...keys] };
}

export function titleLines(dialog: Dialog, drawing: Drawing): string[] {
  const { form, at } = dialog;
  const { title } = getField(dialog);
  if (title === '') return [];
  const place = form.fields.length > 1 ? ` (${at + 1} of ${form.fields.length})` : '';
  return wrap(title + place, drawing.width).map((line) => styled(drawing, 'strong', line));
}

export interface ShortOptions {
  isFocused: boolean;
  /** Part of the question is not visible. */
  isScrolled: boolean;
  /** Unread lines: until they have been shown, nothing is allowed. */
  unread: number;
  /** The title goes here. */
  isTitled: boolean;
  /** In rows. */
  most: number;
}

/** The same with little height: short answers in a row, and of long ones those around the cursor. */
export function shortDialogLines(dialog: Dialog, options: ShortOptions, drawing: Drawing): ShortDialog {
  const { isFocused, isTitled, most } = options;
  const [title = '', ...more] = titleLines(dialog, drawing);
  const named = more.length > 0 ? truncate(`${title} …`, drawing.width) : title;
  if (dialog.typing)
    return typingLines(dialog.typing, isTitled && named !== '' ? [named] : [], most, drawing);
  const keys = keyLines(describeKeys(dialog, options, drawing), drawing);
  const isOfMany = dialog.form.fields.length > 1;
  const row = rowLines(dialog, { isFocused, most: most - keys.length - (isOfMany ? 1 : 0) }, drawing);
  const head = isTitled && named !== '' && (row === undefined || isOfMany) ? [named] : [];
  if (row) return { lines: [...head, ...row, ...keys] };
  const list = listLines(dialog, isFocused, drawing);
  const room = Math.max(1, most - head.length - keys.length);
  const at = Math.min(
    list.length - 1,
    Math.floor((list.length * dialog.cursor) / listOptions(dialog).length),
  );
  const from = Math.min(Math.max(0, at - Math.floor(room / 2)), Math.max(0, list.length - room));
  const below = list.length - from - room;
  const shown = list.slice(from, from + room);
  if (below > 0)
    shown.splice(-1, 1, truncate(`${shown.at(-1) ?? ''} … ${below} more`, drawing.width, 'middle'));
  return { lines: [...head, ...shown, ...keys], isCut: below > 0 || from > 0 };
}

interface ShortDialog extends Drawn {
  /** Some of the answers are not visible. */
  readonly isCut?: boolean;
}

function typingLines(
  { option, editor }: NonNullable<Dialog['typing']>,
  titled: readonly string[],
  most: number,
  drawing: Drawing,
): Drawn {
  const keys = keyLines('return sends · esc goes back', drawing);
  const title = titled.length + 2 + keys.length > most ? [] : titled;
  const { rows, cursor } = layoutEditor(editor, typingWidth(drawing.width));
  const room = Math.max(1, most - title.length - 1 - keys.length);
  const from = Math.max(0, cursor.row - room + 1);
  const lines = [
    ...title,
    styled(drawing, 'info', `${option.asks ?? ''}: `),
    ...rows.slice(from, from + room).map(({ text }) => `  ${text}`),
    ...keys,
  ];
  return { lines, cursor: { x: 2 + cursor.column, y: title.length + 1 + cursor.row - from } };
}

function listLines(dialog: Dialog, isFocused: boolean, drawing: Drawing): string[] {
  return listOptions(dialog).flatMap((option, index) =>
    optionLines(option, index === dialog.cursor && isFocused, dialog, drawing),
  );
}

function optionLines(option: Option, isUnder: boolean, dialog: Dialog, drawing: Drawing): string[] {
  const first = `${pointer(isUnder, drawing)}${option.key}  ${box(option, dialog)}`;
  const label = isUnder ? fullLabel(option) : option.label;
  const lines = hang(wrap(label, Math.max(10, drawing.width - first.length)), first);
  return isUnder ? lines.map((line) => styled(drawing, 'accent', line)) : lines;
}

/** With the rule it would create. */
function fullLabel({ label, grants }: Option): string {
  return grants === undefined ? label : `${label}: ${grants}`;
}

const maxShort = 16;

/** Side by side, the one under the cursor whole; undefined if they are too long for that. */
function rowLines(
  dialog: Dialog,
  { isFocused, most }: Pick<ShortOptions, 'isFocused' | 'most'>,
  drawing: Drawing,
): string[] | undefined {
  const options = listOptions(dialog);
  const shorts = options.map(({ short, label }) => short ?? (width(label) > maxShort ? undefined : label));
  if (shorts.includes(undefined)) return undefined;
  const rows: string[][] = [[]];
  let room = drawing.width;
  for (const [index, option] of options.entries()) {
    const isUnder = isFocused && index === dialog.cursor;
    const mark = isUnder ? pointer(true, drawing) : '';
    const text = `${mark}${option.key} ${box(option, dialog)}${shorts[index]}`;
    room -= width(text) + separator.length;
    if (room < -separator.length && rows.at(-1)?.length !== 0) {
      rows.push([]);
      room = drawing.width - width(text) - separator.length;
    }
    rows.at(-1)?.push(isUnder ? styled(drawing, 'accent', text) : text);
  }
  const under = isFocused ? options[dialog.cursor] : undefined;
  const isCut = under?.short !== undefined && under.short !== under.label;
  const label = isCut ? labelLines(fullLabel(under), most - rows.length, drawing) : [];
  return [...rows.map((parts) => truncate(spoken(drawing, parts.join(separator)), drawing.width)), ...label];
}

/** Whole if there is room: a rule is seen before it is created. */
function labelLines(label: string, most: number, drawing: Drawing): string[] {
  const lines = wrap(label, Math.max(10, drawing.width - 2)).map((line) => `  ${line}`);
  const shown = lines.length <= Math.max(1, most) ? lines : [truncate(`  ${label}`, drawing.width, 'middle')];
  return shown.map((line) => styled(drawing, 'accent', line));
}

const separator = ' · ';

function listOptions(dialog: Dialog): readonly Option[] {
  return getField(dialog).options;
}

function box({ key }: Option, dialog: Dialog): string {
  if (!getField(dialog).isMany) return '';
  return dialog.marked.includes(key) ? '[x] ' : '[ ] ';
}

function keyLines(text: string, drawing: Drawing): string[] {
  return wrap(spoken(drawing, text), drawing.width).map((line) => styled(drawing, 'dim', line));
}

function describeKeys(
  dialog: Dialog,
  { isFocused, isScrolled, unread }: Pick<ShortOptions, 'isFocused' | 'isScrolled' | 'unread'>,
  drawing: Drawing,
): string {
  if (unread > 0) return readOn(unread, getField(dialog).isMany === true, isFocused, drawing);
  const scroll = isScrolled ? 'pageup/pagedown · ' : '';
  if (!isFocused) return `${scroll}ctrl-q answers${isScrolled ? '' : '; your text is kept'}`;
  if (getField(dialog).isMany) return `${scroll}space marks · return sends · esc sets it aside`;
  const isLasting = listOptions(dialog)[dialog.cursor]?.isLasting;
  const how = isLasting ? 'return answers · ' : isScrolled ? scroll : 'a key or return answers · ';
  return `${how}esc sets it aside`;
}

/** Before the last line was visible. */
function readOn(unread: number, isMany: boolean, isFocused: boolean, { width }: Drawing): string {
  const more = `${unread} more ${unread === 1 ? 'line' : 'lines'}`;
  const keys = isMany || !isFocused ? 'pagedown or end' : 'space, pagedown, end or G';
  const rest = isFocused ? 'esc sets it aside' : 'ctrl-q answers';
  if (width < maxKeysWidth) return `${more}: ${keys} · ${rest}`;
  return `${more}: ${keys} · ${isFocused && !isMany ? 'n no · ' : ''}${rest}`;
}

const maxKeysWidth = 72;
