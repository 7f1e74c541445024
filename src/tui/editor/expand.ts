import { findMentions, type Mention } from '../../knowledge/mentions.ts';
import type { ImageBlock, TextBlock } from '../../protocol/index.ts';
import { splitPieces, writePiece } from './attachments.ts';
import type { Editor } from './editor.ts';

export interface Expanded {
  /** For the command `prompt`: text alone, or blocks when images go with it. */
  readonly content: string | (TextBlock | ImageBlock)[];
  /** True if the user wrote it themselves rather than pasting it. */
  readonly mentions: Mention[];
}

/**
 * The text that the user means: pasted text in full, images by their names. Whoever takes text from an input line takes
 * this; `displayText` is for the screen alone.
 */
export function expandText({ text, attachments }: Editor): string {
  return splitPieces(text, attachments).map(writePiece).join('');
}

/** The prompt as it is sent: pasted text expanded, images beside their names. Mentions stay as written. */
export function expandEditor(editor: Editor): Expanded {
  const blocks: (TextBlock | ImageBlock)[] = [];
  let text = '';
  for (const piece of splitPieces(editor.text.trim(), editor.attachments)) {
    text += writePiece(piece);
    if (typeof piece === 'string' || piece.kind === 'text') continue;
    blocks.push({ type: 'text', text });
    blocks.push({ type: 'image', source: { type: 'base64', media_type: piece.mediaType, data: piece.data } });
    text = '';
  }
  if (text !== '' && blocks.length > 0) blocks.push({ type: 'text', text });
  return { content: blocks.length > 0 ? blocks : text, mentions: findMentions(editor.text) };
}

/** Only a prompt can have images with it. */
export function hasImage({ text, attachments }: Editor): boolean {
  return splitPieces(text, attachments).some((piece) => typeof piece !== 'string' && piece.kind === 'image');
}
