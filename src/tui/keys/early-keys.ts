import { applyKey } from '../editor/apply-key.ts';
import { type Editor, emptyEditor, isEmpty } from '../editor/editor.ts';
import { escapeKey } from './key-gate.ts';

/** Input typed before there is a screen. Every byte is in exactly one of the two: none is lost, none is used twice. */
export interface EarlyTyped {
  readonly editor: Editor;
  /** Everything from the first key that needs a screen: return, escape sequences, pastes. It waits for one. */
  readonly rest: Uint8Array;
}

export const nothingTyped: EarlyTyped = { editor: emptyEditor(), rest: new Uint8Array() };

/** The interrupt key clears the typed text; with no text it interrupts. */
export function typeEarly(typed: EarlyTyped, chunk: Uint8Array): EarlyTyped | 'interrupted' {
  const bytes = withoutEscapes(Buffer.concat([typed.rest, chunk]));
  const interrupt = isPasting(bytes) ? -1 : bytes.lastIndexOf(interruptKey);
  if (interrupt === -1) return take(typed.editor, bytes);
  if (isEmpty(typed.editor) && interrupt === 0) return 'interrupted';
  return take(emptyEditor(), bytes.subarray(interrupt + 1));
}

const interruptKey = 0x03;
const backspace = /[\b\u007f]/;

/** The escape key has nothing to stop yet. */
function withoutEscapes(bytes: Buffer): Buffer {
  if (isPasting(bytes) || !bytes.includes(escapeKey)) return bytes;
  return Buffer.from(bytes.toString('latin1').replaceAll(escapeKey, ''), 'latin1');
}

/** In a paste everything is text. */
function isPasting(bytes: Buffer): boolean {
  return bytes.lastIndexOf('\u001b[200~') > bytes.lastIndexOf('\u001b[201~');
}

function take(editor: Editor, bytes: Buffer): EarlyTyped {
  const end = wholeCharacters(bytes, plainLength(bytes));
  const text = bytes.toString('utf8', 0, end);
  let now = editor;
  for (const part of text.split(/([\b\u007f])/).filter((one) => one !== '')) {
    const key = backspace.test(part) ? { name: 'backspace' } : { name: 'text', text: part };
    now = applyKey(now, { ctrl: false, alt: false, shift: false, ...key }, { width: 80, history: [] }).editor;
  }
  return { editor: now, rest: bytes.subarray(end) };
}

/** How much of it is text, and text taken back. */
function plainLength(bytes: Buffer): number {
  const found = bytes.findIndex((byte) => byte < 0x20 && byte !== 0x08);
  return found === -1 ? bytes.length : found;
}

/** Without a last character whose bytes are incomplete. */
function wholeCharacters(bytes: Buffer, end: number): number {
  for (let back = 1; back <= Math.min(3, end); back++) {
    const byte = bytes[end - back] ?? 0;
    if (byte < 0x80) return end;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back && end === bytes.length ? end - back : end;
  }
  return end;
}
