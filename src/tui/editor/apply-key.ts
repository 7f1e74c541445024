import type { Key } from '../keys/key.ts';
import { moveTo, redo, replace, type as typeText, undo } from './change.ts';
import type { Editor } from './editor.ts';
import { browse, climb, type EditorContext } from './history.ts';
import { kill, yank, yankOlder } from './kill.ts';
import { after, before, bigWordStart, lineEnd, lineStart, wordEnd, wordStart } from './places.ts';
import { searchKey, startSearch } from './search.ts';

/**
 * `submit`: send the prompt. `ignored`: not a key of the editor, or one that does nothing here (up in the
 * first row, say). `image`: insert an image from the clipboard.
 */
export type KeyEffect = 'none' | 'submit' | 'ignored' | 'image';

export interface KeyResult {
  readonly editor: Editor;
  readonly effect: KeyEffect;
}

export function applyKey(editor: Editor, key: Key, context: EditorContext): KeyResult {
  if (!editor.search) return applyPlain(editor, key, context);
  const searched = searchKey(editor, editor.search, key, context);
  return searched.isOver
    ? applyPlain(searched.editor, key, context)
    : { editor: searched.editor, effect: 'none' };
}

function applyPlain(editor: Editor, key: Key, context: EditorContext): KeyResult {
  if (key.name === 'text' && key.text !== undefined) return done(typeText(editor, key.text));
  if (key.name === 'return') return pressReturn(editor, key);
  if (key.ctrl && key.name === 'v') return { editor, effect: 'image' };
  const deed = deeds[formatKeyName(key)];
  const changed = deed?.(editor, context);
  return changed ? done(changed) : { editor, effect: 'ignored' };
}

function done(editor: Editor): KeyResult {
  return { editor, effect: 'none' };
}

function pressReturn(editor: Editor, key: Key): KeyResult {
  if (key.alt || key.shift || key.ctrl) return done(newline(editor));
  if (editor.text[editor.cursor - 1] === '\\')
    return done(replace(editor, editor.cursor - 1, editor.cursor, '\n'));
  return { editor, effect: 'submit' };
}

function formatKeyName(key: Key): string {
  // Shift does not change an arrow key, and a capital letter is the same command.
  return `${key.ctrl ? 'ctrl-' : ''}${key.alt ? 'alt-' : ''}${key.name}`;
}

/** Undefined: the editor has no use for the key, and others may. */
type Deed = (editor: Editor, context: EditorContext) => Editor | undefined;

function go(place: (text: string, at: number) => number): Deed {
  return (editor) => moveTo(editor, place(editor.text, editor.cursor));
}

function killTo(place: (text: string, at: number) => number): Deed {
  return (editor) => {
    const to = place(editor.text, editor.cursor);
    return kill(editor, Math.min(to, editor.cursor), Math.max(to, editor.cursor));
  };
}

function newline(editor: Editor): Editor {
  return replace(editor, editor.cursor, editor.cursor, '\n');
}

const erase: Deed = ({ cursor, text, ...rest }) =>
  cursor === 0 ? undefined : replace({ ...rest, cursor, text }, before(text, cursor), cursor, '');

const eraseNext: Deed = ({ cursor, text, ...rest }) =>
  cursor === text.length ? undefined : replace({ ...rest, cursor, text }, cursor, after(text, cursor), '');

/** At the end of a line, the line break is cut. */
function findDeletedEnd(text: string, at: number): number {
  const end = lineEnd(text, at);
  return end === at ? Math.min(text.length, at + 1) : end;
}

function findDeletedStart(text: string, at: number): number {
  const start = lineStart(text, at);
  return start === at ? Math.max(0, at - 1) : start;
}

const deeds: Readonly<Record<string, Deed>> = {
  left: go(before),
  right: go(after),
  'ctrl-b': go(before),
  'ctrl-f': go(after),
  up: (editor, context) => climb(editor, -1, context),
  down: (editor, context) => climb(editor, 1, context),
  'ctrl-p': (editor, { history }) => browse(editor, -1, history),
  'ctrl-n': (editor, { history }) => browse(editor, 1, history),
  home: go(lineStart),
  end: go(lineEnd),
  'ctrl-a': go(lineStart),
  'ctrl-e': go(lineEnd),
  'ctrl-home': go(() => 0),
  'ctrl-end': go((text) => text.length),
  'alt-<': go(() => 0),
  'alt->': go((text) => text.length),
  'ctrl-left': go(wordStart),
  'ctrl-right': go(wordEnd),
  'alt-left': go(wordStart),
  'alt-right': go(wordEnd),
  'alt-b': go(wordStart),
  'alt-f': go(wordEnd),
  backspace: erase,
  'ctrl-h': erase,
  delete: eraseNext,
  'ctrl-d': eraseNext,
  'ctrl-k': killTo(findDeletedEnd),
  'ctrl-u': killTo(findDeletedStart),
  'ctrl-w': killTo(bigWordStart),
  'alt-backspace': killTo(wordStart),
  'ctrl-backspace': killTo(wordStart),
  'alt-d': killTo(wordEnd),
  'ctrl-delete': killTo(wordEnd),
  'alt-delete': killTo(wordEnd),
  'ctrl-y': yank,
  'alt-y': yankOlder,
  'ctrl-j': newline,
  'ctrl-alt-j': newline,
  'ctrl-_': undo,
  'ctrl-/': undo,
  'ctrl--': undo,
  'alt-_': redo,
  'alt-/': redo,
  'ctrl-alt-_': redo,
  'ctrl-r': startSearch,
};
