import { boundText } from '../../lib/text/text.ts';
import { type Attachment, formatAttachmentMark, formatLabel, isFull, nextNumber } from './attachments.ts';
import { replace } from './change.ts';
import { cleanText, type Editor } from './editor.ts';

/** More than this would fill the screen, so it becomes one named character. */
const maxLines = 10;
const maxCharacters = 1000;
/** More than any model reads. */
const maxPasted = 2_000_000;

/** Text from the clipboard. Enter and escape in it are text, never keys. */
export function pasteText(editor: Editor, pasted: string): Editor {
  const text = cleanText(boundText(pasted, maxPasted));
  if (text === '') return editor;
  const isLarge = text.length > maxCharacters || text.split('\n').length > maxLines;
  if (!isLarge) return replace(editor, editor.cursor, editor.cursor, text);
  return attach(editor, { kind: 'text', number: nextNumber(editor.attachments, 'text'), content: text });
}

/** Text as the editor returned it: attachments are recognized by their names, and deleted ones are gone. */
export function withEdited(editor: Editor, edited: string): Editor {
  const text = editor.attachments.reduce(
    (left, attachment, index) => left.replace(formatLabel(attachment), () => formatAttachmentMark(index)),
    cleanText(boundText(edited, maxPasted)).replace(/\n$/, ''),
  );
  return replace(editor, 0, editor.text.length, text);
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
