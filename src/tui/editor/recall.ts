import {
  type Attachment,
  formatAttachmentMark,
  isFull,
  nextNumber,
  splitPieces,
  writePiece,
} from './attachments.ts';
import { cleanText, type Editor } from './editor.ts';

/** A prompt as it was sent, and what it was made of, so that it comes back as it was written. */
export interface PastPrompt {
  readonly text: string;
  /** Where pasted text is that was shown by its name: from and to. */
  readonly pasted: readonly (readonly [number, number])[];
  readonly pieces: readonly (string | Attachment)[];
}

export function recordPrompt({ text, attachments }: Editor): PastPrompt {
  const pieces = splitPieces(text, attachments);
  const pasted: [number, number][] = [];
  let whole = '';
  for (const piece of pieces) {
    const from = whole.length;
    whole += writePiece(piece);
    if (typeof piece !== 'string' && piece.kind === 'text') pasted.push([from, whole.length]);
  }
  return { text: whole, pasted, pieces };
}

/** A prompt that was stored. Its images were not: their names are text now. */
export function restorePrompt({
  text,
  pasted = [],
}: {
  text: string;
  pasted?: PastPrompt['pasted'];
}): PastPrompt {
  const pieces: (string | Attachment)[] = [];
  let at = 0;
  for (const [index, [from, to]] of pasted.entries()) {
    pieces.push(cleanText(text.slice(at, from)));
    pieces.push({ kind: 'text', number: index + 1, content: cleanText(text.slice(from, to)) });
    at = to;
  }
  pieces.push(cleanText(text.slice(at)));
  return { text, pasted, pieces: pieces.filter((piece) => piece !== '') };
}

/** The editor with an earlier prompt in it. Attachments are only ever added: the draft and the undo steps still need theirs. */
export function recallPrompt(editor: Editor, { pieces }: PastPrompt): Editor {
  let { attachments } = editor;
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text += piece;
      continue;
    }
    const known = attachments.findIndex((one) => isSame(one, piece));
    if (known === -1 && isFull(attachments)) {
      text += writePiece(piece);
      continue;
    }
    text += formatAttachmentMark(known === -1 ? attachments.length : known);
    if (known === -1)
      attachments = [...attachments, { ...piece, number: nextNumber(attachments, piece.kind) }];
  }
  return { ...editor, text, attachments };
}

function isSame(one: Attachment, other: Attachment): boolean {
  if (one.kind === 'text') return other.kind === 'text' && one.content === other.content;
  return other.kind === 'image' && one.data === other.data;
}
