import { boundText } from '../../lib/text/text.ts';
import {
  type Attachment,
  countLines,
  formatAttachmentMark,
  isFull,
  nextNumber,
  writePiece,
} from './attachments.ts';
import { replace } from './change.ts';
import { cleanText, type Editor } from './editor.ts';

/** More than this would fill the screen, so it becomes one named character. */
const maxLines = 10;
const maxCharacters = 1000;
/** More than any model reads. */
const maxPasted = 2_000_000;
/** Several pastes, and what was typed around them. */
const maxEdited = 5 * maxPasted;

/** Text from the clipboard. Enter and escape in it are text, never keys. */
export function pasteText(editor: Editor, pasted: string): Editor {
  const text = cleanText(boundText(pasted, maxPasted));
  if (text === '') return editor;
  const isLarge = text.length > maxCharacters || countLines(text) > maxLines;
  if (!isLarge) return replace(editor, editor.cursor, editor.cursor, text);
  return attach(editor, { kind: 'text', number: nextNumber(editor.attachments, 'text'), content: text });
}

/**
 * Text as the editor returned it. It was given all that was pasted: what has not changed gets its name again, images are
 * recognized by theirs, and deleted ones are gone.
 */
export function withEdited(editor: Editor, edited: string): Editor {
  const text = editor.attachments.reduce(
    (left, attachment, index) => left.replaceAll(writePiece(attachment), () => formatAttachmentMark(index)),
    cleanText(boundText(edited, maxEdited)),
  );
  return replace(editor, 0, editor.text.length, text.replace(/\n$/, ''));
}

export interface Image {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
  readonly name?: string;
}

export function addImage(editor: Editor, image: Image): Editor {
  return attach(editor, { kind: 'image', number: nextNumber(editor.attachments, 'image'), ...image });
}

function attach(editor: Editor, attachment: Attachment): Editor {
  if (isFull(editor.attachments)) return editor;
  const mark = formatAttachmentMark(editor.attachments.length);
  const attached = { ...editor, attachments: [...editor.attachments, attachment] };
  return replace(attached, editor.cursor, editor.cursor, mark);
}
