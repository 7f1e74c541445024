import { cleanText, type Editor, type LastEdit, type Moment } from './editor.ts';

const maxPast = 200;

/** Replaces the text in between with `inserted`, as one undo step. */
export function replace(editor: Editor, from: number, to: number, inserted: string): Editor {
  const text = editor.text.slice(0, from) + inserted + editor.text.slice(to);
  return step(editor, { text, cursor: from + inserted.length }, undefined);
}

/** Typed text joins the undo step before it, up to a blank. */
export function type(editor: Editor, typed: string): Editor {
  const text = cleanText(typed);
  if (text === '') return editor;
  const changed = replace(editor, editor.cursor, editor.cursor, text);
  const goesOn = editor.last?.kind === 'typed' && !/^\s/.test(text);
  return { ...changed, ...(goesOn ? { past: editor.past } : {}), last: { kind: 'typed' } };
}

export function step(editor: Editor, to: Moment, last: LastEdit | undefined): Editor {
  const past = [...editor.past, { text: editor.text, cursor: editor.cursor }].slice(-maxPast);
  return { ...editor, text: to.text, cursor: to.cursor, past, future: [], last };
}

export function undo(editor: Editor): Editor {
  const before = editor.past.at(-1);
  if (!before) return editor;
  const now = { text: editor.text, cursor: editor.cursor };
  return {
    ...editor,
    ...before,
    past: editor.past.slice(0, -1),
    future: [...editor.future, now],
    last: undefined,
  };
}

export function redo(editor: Editor): Editor {
  const after = editor.future.at(-1);
  if (!after) return editor;
  const now = { text: editor.text, cursor: editor.cursor };
  return {
    ...editor,
    ...after,
    past: [...editor.past, now],
    future: editor.future.slice(0, -1),
    last: undefined,
  };
}

export function moveTo(editor: Editor, cursor: number, last?: LastEdit): Editor {
  return { ...editor, cursor, last };
}
