import { findMentions, type Mention } from '../../knowledge/mentions.ts';
import type { ImageBlock, TextBlock } from '../../protocol/index.ts';
import { findAttachment, formatLabel, isMark } from './attachments.ts';
import type { Editor } from './editor.ts';

export interface Expanded {
  /** For the command `prompt`: text alone, or blocks when images go with it. */
  readonly content: string | (TextBlock | ImageBlock)[];
  /** True if the user wrote it themselves rather than pasting it. */
  readonly mentions: Mention[];
}

/** The prompt as it is sent: pasted text expanded, images beside their names. Mentions stay as written. */
export function expandEditor(editor: Editor): Expanded {
  const blocks: (TextBlock | ImageBlock)[] = [];
  let text = '';
  for (const character of editor.text.trim()) {
    const attachment = findAttachment(editor.attachments, character);
    if (!attachment) text += isMark(character) ? '' : character;
    else if (attachment.kind === 'text') text += attachment.content;
    else {
      const { mediaType, data } = attachment;
      blocks.push({ type: 'text', text: text + formatLabel(attachment) });
      blocks.push({ type: 'image', source: { type: 'base64', media_type: mediaType, data } });
      text = '';
    }
  }
  if (text !== '' && blocks.length > 0) blocks.push({ type: 'text', text });
  return { content: blocks.length > 0 ? blocks : text, mentions: findMentions(editor.text) };
}
