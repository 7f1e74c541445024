import { replace, step } from './change.ts';
import type { Editor } from './editor.ts';

const maxKills = 60;

/** Cuts a part of the text, so a yank can put it back. Consecutive cuts become one. */
export function kill(editor: Editor, from: number, to: number): Editor {
  if (from === to) return editor;
  const cut = editor.text.slice(from, to);
  const isBackward = to === editor.cursor;
  const last = editor.last?.kind === 'killed' ? editor.kills.at(-1) : undefined;
  const joined = last === undefined ? cut : isBackward ? cut + last : last + cut;
  const others = last === undefined ? editor.kills : editor.kills.slice(0, -1);
  const changed = replace(editor, from, to, '');
  return { ...changed, kills: [...others, joined].slice(-maxKills), last: { kind: 'killed' } };
}

export function yank(editor: Editor): Editor {
  const piece = editor.kills.at(-1);
  if (piece === undefined) return editor;
  const from = editor.cursor;
  return { ...replace(editor, from, from, piece), last: { kind: 'yanked', from, age: 0 } };
}

/** After a yank: replaces it with the piece cut before it. */
export function yankOlder(editor: Editor): Editor {
  const { last, kills } = editor;
  if (last?.kind !== 'yanked' || kills.length < 2) return editor;
  const age = (last.age + 1) % kills.length;
  const piece = kills[kills.length - 1 - age] ?? '';
  const text = editor.text.slice(0, last.from) + piece + editor.text.slice(editor.cursor);
  return step(editor, { text, cursor: last.from + piece.length }, { kind: 'yanked', from: last.from, age });
}
