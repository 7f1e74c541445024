import { type Attachment, isMark, findLabel } from './attachments.ts';

/** The prompt as it is being written. A value: every key makes a new one. */
export interface Editor {
  /** Each attachment is one character of it that nobody can type. */
  readonly text: string;
  /** Between two characters as a reader sees them, never inside of one. */
  readonly cursor: number;
  readonly attachments: readonly Attachment[];
  /** What can be undone, and what was. */
  readonly past: readonly Moment[];
  readonly future: readonly Moment[];
  /** Cut pieces, newest last. */
  readonly kills: readonly string[];
  /** What the last key did, for keys that go on from the one before. */
  readonly last?: LastEdit | undefined;
  /** The entry of the history that is shown, counted from the oldest, and what was being written before. */
  readonly browsing?: { readonly index: number; readonly draft: Moment } | undefined;
  readonly search?: Search | undefined;
}

export interface Moment {
  readonly text: string;
  readonly cursor: number;
}

export type LastEdit =
  | { readonly kind: 'typed' }
  | { readonly kind: 'killed' }
  /** Where the yanked text stands, and how old it is. */
  | { readonly kind: 'yanked'; readonly from: number; readonly age: number }
  /** The column that moving up and down tries to keep. */
  | { readonly kind: 'climbed'; readonly column: number };

/** Looking for an earlier prompt, newest first. */
export interface Search {
  readonly query: string;
  /** The entry that was found, or where the search stands. */
  readonly index: number;
  readonly found: boolean;
  readonly draft: Moment;
}

export function emptyEditor(): Editor {
  return { text: '', cursor: 0, attachments: [], past: [], future: [], kills: [] };
}

export function createEditor(text: string): Editor {
  const clean = cleanText(text);
  return { ...emptyEditor(), text: clean, cursor: clean.length };
}

/** A fresh one after sending: what was cut can still be put back. */
export function clearedEditor(editor: Editor): Editor {
  return { ...emptyEditor(), kills: editor.kills };
}

/** What a person sees, with the names of attachments. It is also what the history keeps. */
export function displayText(editor: Editor): string {
  return Array.from(editor.text, (character) => findLabel(editor.attachments, character) ?? character).join('');
}

export function isEmpty(editor: Editor): boolean {
  return editor.text === '';
}

/** `!` at the start runs the rest in a shell; `/name` is a command. */
export function inputMode(editor: Editor): 'prompt' | 'shell' | 'command' {
  if (editor.text.startsWith('!')) return 'shell';
  return /^\/(?:[\p{L}\p{N}_:.-]*(?:\s|$))/u.test(editor.text) ? 'command' : 'prompt';
}

/** Lines end with a newline alone, and nothing can pass for an attachment. */
export function cleanText(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').replaceAll('\0', '');
  return /[\u{10f000}-\u{10ffff}]/u.test(lines)
    ? Array.from(lines, (character) => (isMark(character) ? '\ufffd' : character)).join('')
    : lines.toWellFormed();
}
