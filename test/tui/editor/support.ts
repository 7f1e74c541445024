import {
  applyKey,
  createEditor,
  type Editor,
  type EditorContext,
  type KeyEffect,
  recordPrompt,
} from '../../../src/tui/editor/index.ts';
import type { Key } from '../../../src/tui/keys/key.ts';

export const context: EditorContext = { width: 40, history: [] };

/** Prompts that were typed and sent before. */
export function sent(...texts: string[]): EditorContext['history'] {
  return texts.map((text) => recordPrompt(createEditor(text)));
}

/** `ctrl-alt-b`, `up`, or a character that is typed. */
export function key(name: string): Key {
  const parts = name.length > 1 ? name.split(/-(?=.)/) : [name];
  const last = parts.at(-1) ?? '';
  const held = (modifier: string) => parts.slice(0, -1).includes(modifier);
  const modifiers = { ctrl: held('ctrl'), alt: held('alt'), shift: held('shift') };
  const isTyped = parts.length === 1 && Array.from(last).length === 1;
  return isTyped ? { ...modifiers, name: 'text', text: last } : { ...modifiers, name: last };
}

export function typed(text: string): Key {
  return { name: 'text', ctrl: false, alt: false, shift: false, text };
}

/** After all of these keys; the effects of all but the last are left out. */
export function press(editor: Editor, names: readonly string[], within = context): Editor {
  return names.reduce((now, name) => applyKey(now, key(name), within).editor, editor);
}

export function effectOf(editor: Editor, name: string, within = context): KeyEffect {
  return applyKey(editor, key(name), within).effect;
}

/** A text in which `|` is the cursor. */
export function at(editor: Editor, marked: string): Editor {
  const cursor = marked.indexOf('|');
  return { ...editor, text: marked.slice(0, cursor) + marked.slice(cursor + 1), cursor };
}

export function marked(editor: Editor): string {
  return `${editor.text.slice(0, editor.cursor)}|${editor.text.slice(editor.cursor)}`;
}
