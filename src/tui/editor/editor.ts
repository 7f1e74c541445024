import { type Attachment, findLabel, isMark } from './attachments.ts';

/** The prompt being written. A value: every key makes a new one. */
export interface Editor {
  /** Each attachment is one character that no keyboard can type. */
  readonly text: string;
  /** Always between two characters as a reader sees them, never inside one. */
  readonly cursor: number;
  readonly attachments: readonly Attachment[];
  /** Undo and redo steps. */
  readonly past: readonly Moment[];
  readonly future: readonly Moment[];
  /** Cut pieces, newest last. */
  readonly kills: readonly string[];
  /** The last key's effect, for keys that build on the one before. */
  readonly last?: LastEdit | undefined;
  /** The history entry shown, counted from the oldest, and the text written before it was opened. */
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
  /** The place of the yanked text, and its age in the ring. */
  | { readonly kind: 'yanked'; readonly from: number; readonly age: number }
  /** The column that moving up and down tries to keep. */
  | { readonly kind: 'climbed'; readonly column: number };

/** A search for an earlier prompt, newest first. */
export interface Search {
  readonly query: string;
  /** The entry found, or the place the search has reached. */
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

/** A prompt that the agent has read, to be sent again. Shell commands never go to it: one that begins like one is text. */
export function reopenPrompt(text: string): Editor {
  return createEditor(text.startsWith('!') ? ` ${text}` : text);
}

/** The text as the user sees it, with the names of attachments: for the screen alone. */
export function displayText(editor: Editor): string {
  return Array.from(editor.text, (character) => findLabel(editor.attachments, character) ?? character).join(
    '',
  );
}

export function isEmpty(editor: Editor): boolean {
  return editor.text === '';
}

/** `!` at the start runs the rest in a shell; `/name` is a command. */
export function inputMode(editor: Editor): 'prompt' | 'shell' | 'command' {
  if (editor.text.startsWith('!')) return 'shell';
  return /^\/(?:[\p{L}\p{N}_:.-]*(?:\s|$))/u.test(editor.text) ? 'command' : 'prompt';
}

/** Lines end with a bare newline, and no character can pass for an attachment. */
export function cleanText(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').replaceAll('\0', '');
  return /[\u{10f000}-\u{10ffff}]/u.test(lines)
    ? Array.from(lines, (character) => (isMark(character) ? '\ufffd' : character)).join('')
    : lines.toWellFormed();
}
