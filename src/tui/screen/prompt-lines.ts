import type { Drawing } from '../drawing.ts';
import { type Editor, inputMode, isEmpty } from '../editor/editor.ts';
import { layoutEditor } from '../editor/layout.ts';
import { showLine } from '../text/controls.ts';
import type { StyleName } from '../text/theme.ts';
import { truncate } from '../text/wrap.ts';
import { sign, styled } from './layout.ts';

export interface Cursor {
  readonly x: number;
  readonly y: number;
}

export interface Drawn {
  readonly lines: string[];
  /** The cursor's place in them; absent if there is none. */
  readonly cursor?: Cursor | undefined;
}

export interface PromptLinesOptions {
  /** In rows; longer text is shown around the cursor. */
  readonly most: number;
  readonly placeholder: string;
  readonly isActive: boolean;
  /** Of the frame: the mode that one has to keep in mind. */
  readonly frame?: StyleName | undefined;
  /** The typed text alone, without a frame. */
  readonly isBare?: boolean;
}

export const placeholder = 'Ask for something. / commands, @ files and agents, ! shell, ctrl-t tasks';

/** The rows of a screen that the prompt may take. */
export function promptHeight(rows: number): number {
  return Math.max(2, Math.floor(rows / 3));
}

/** The input line, between two rules. */
export function promptLines(editor: Editor, options: PromptLinesOptions, drawing: Drawing): Drawn {
  const mode = inputMode(editor);
  const mark = drawMark(editor, drawing);
  const style = mode === 'shell' ? 'warning' : mode === 'command' ? 'info' : 'accent';
  const edge = mode === 'prompt' ? (options.frame ?? 'border') : style;
  const inner = promptWidth(editor, drawing);
  const { rows, cursor } = layoutEditor(editor, inner);
  const from = Math.min(Math.max(0, cursor.row - options.most + 1), Math.max(0, rows.length - options.most));
  const shown = rows.slice(from, from + options.most);
  const texts = isEmpty(editor)
    ? [styled(drawing, 'dim', truncate(options.placeholder, inner))]
    : shown.map(({ text }) => text);
  const lines = texts.map((text, index) =>
    index === 0 ? styled(drawing, style, mark) + text : ' '.repeat(mark.length) + text,
  );
  const isRuled = !drawing.plain && !options.isBare;
  const above = !isRuled ? [] : [rule(edge, drawing, from > 0 ? `↑ ${from} more rows` : '')];
  const below = rows.length - from - shown.length;
  const search = options.isBare ? [] : searchLine(editor, drawing);
  const under = !isRuled ? [] : [rule(edge, drawing, below > 0 ? `↓ ${below} more rows` : '')];
  return {
    lines: [...above, ...lines, ...search, ...under],
    ...(options.isActive
      ? { cursor: { x: mark.length + cursor.column, y: above.length + cursor.row - from } }
      : {}),
  };
}

/** Width of an input row in cells: keys that go up and down count rows as drawn. */
export function promptWidth(editor: Editor, drawing: Drawing): number {
  return Math.max(10, drawing.width - drawMark(editor, drawing).length - 1);
}

function drawMark(editor: Editor, drawing: Drawing): string {
  return sign(drawing, '❯', inputMode(editor) === 'shell' ? 'Shell:' : 'Prompt:');
}

function rule(style: StyleName, drawing: Drawing, text: string): string {
  const line = text === '' ? '─'.repeat(drawing.width) : `─ ${text} `.padEnd(drawing.width, '─');
  return styled(drawing, style, line);
}

function searchLine(editor: Editor, drawing: Drawing): string[] {
  if (!editor.search) return [];
  const { query, found } = editor.search;
  return [
    styled(drawing, 'dim', `search: ${showLine(query, 100, 'prose')}${found ? '' : ' (nothing found)'}`),
  ];
}
