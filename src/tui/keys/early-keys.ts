import { applyKey } from '../editor/apply-key.ts';
import { type Editor, emptyEditor, isEmpty } from '../editor/editor.ts';
import { decodeText } from './decode-keys.ts';
import type { Input, Key } from './key.ts';

/** Input typed before there is a session. Each is in exactly one of the two: none is lost, none is used twice. */
export interface EarlyTyped {
  readonly editor: Editor;
  /** Everything from the first key that needs a session: return, arrows, pastes. It waits for one. */
  readonly rest: readonly Input[];
}

export const nothingTyped: EarlyTyped = { editor: emptyEditor(), rest: [] };

/** The interrupt key clears the typed text; with no text it interrupts. */
export function typeEarly(typed: EarlyTyped, inputs: readonly Input[]): EarlyTyped | 'interrupted' {
  let now = typed;
  for (const input of inputs) {
    const next = typeOne(now, input);
    if (next === 'interrupted') return next;
    now = next;
  }
  return now;
}

function typeOne({ editor, rest }: EarlyTyped, input: Input): EarlyTyped | 'interrupted' {
  if ('pasted' in input) return { editor, rest: [...rest, input] };
  if (input.ctrl && input.name === 'c')
    return isEmpty(editor) && rest.length === 0 ? 'interrupted' : nothingTyped;
  // The escape key has nothing to stop yet.
  if (input.name === 'escape') return { editor, rest };
  if (rest.length > 0 || !isPlain(input)) return { editor, rest: [...rest, input] };
  // A tab or a line break at the end of fast typing is a key: it waits.
  const [typed = '', ...more] = (input.text ?? '').split(/(?=[\t\n])/);
  const key = input.name === 'text' ? { ...input, text: typed } : input;
  return {
    editor: applyKey(editor, key, { width: 80, history: [] }).editor,
    rest: more.length > 0 ? decodeText(more.join('')) : rest,
  };
}

/** Text, and text taken back. */
function isPlain({ name, text, alt, ctrl }: Key): boolean {
  return !alt && !ctrl && (name === 'backspace' || (name === 'text' && !/^[\t\n]/.test(text ?? '')));
}
