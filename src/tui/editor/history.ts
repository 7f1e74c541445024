import { moveTo } from './change.ts';
import type { Editor } from './editor.ts';
import { type EditorLayout, findPlace, layoutEditor } from './layout.ts';
import { type PastPrompt, recallPrompt } from './recall.ts';

export interface EditorContext {
  /** Width of a row in cells. */
  width: number;
  /** Earlier prompts, oldest first. */
  history: readonly PastPrompt[];
}

/** A row up or down, keeping the column; beyond the first and last row, through the history. Undefined: no further. */
export function climb(editor: Editor, direction: -1 | 1, context: EditorContext): Editor | undefined {
  const layout = layoutEditor(editor, context.width);
  const row = layout.rows[layout.cursor.row + direction];
  if (!row) return browse(editor, direction, context.history);
  const column = findColumn(editor, layout);
  return moveTo(editor, findPlace(editor, row, column, context.width), { kind: 'climbed', column });
}

/** An older or newer prompt; after the newest, the unfinished one comes back. */
export function browse(
  editor: Editor,
  direction: -1 | 1,
  history: readonly PastPrompt[],
): Editor | undefined {
  const { browsing } = editor;
  const index = (browsing?.index ?? history.length) + direction;
  if (index < 0 || (direction === 1 && !browsing)) return undefined;
  const draft = browsing?.draft ?? { text: editor.text, cursor: editor.cursor };
  const entry = history[index];
  if (entry === undefined) return { ...editor, ...draft, browsing: undefined, last: undefined };
  // Coming from below, its last row is reached first; from above, its first.
  const recalled = recallPrompt(editor, entry);
  const cursor = direction === -1 ? recalled.text.length : findFirstLineEnd(recalled.text);
  return { ...recalled, cursor, browsing: { index, draft }, last: undefined };
}

function findColumn(editor: Editor, layout: EditorLayout): number {
  return editor.last?.kind === 'climbed' ? editor.last.column : layout.cursor.column;
}

function findFirstLineEnd(text: string): number {
  const end = text.indexOf('\n');
  return end === -1 ? text.length : end;
}
