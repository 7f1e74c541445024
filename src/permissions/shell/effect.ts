import type { ShellWord } from './types.ts';

/** How a path is used: `enter` shows nothing, `list` names, `read` a file, `search` all files below; `remove` deletes. */
export interface PathUse {
  readonly kind: 'enter' | 'list' | 'read' | 'search' | 'write' | 'remove';
  readonly word: ShellWord;
}

/** What one command does by itself: known, with every path it touches, or not known. */
export type Effect =
  | { readonly known: true; readonly uses: readonly PathUse[]; readonly git?: true; readonly edits?: true }
  | { readonly known: false; readonly reason: string };

export const unknown = (reason: string): Effect => ({ known: false, reason });

/** The directory that a command runs in. */
export const here: ShellWord = {
  text: '.',
  values: [{ text: '.', glob: '.', isPattern: false }],
  single: true,
};
