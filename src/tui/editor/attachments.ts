/** An attachment: it is sent with the prompt but not written out in it. */
export type Attachment =
  | { readonly kind: 'text'; readonly number: number; readonly content: string }
  | {
      readonly kind: 'image';
      readonly number: number;
      readonly mediaType: string;
      /** Base64. */
      readonly data: string;
      readonly name?: string;
    };

/** Private-use characters that no font or keyboard has; they represent attachments by their order. */
const firstMark = 0x10f000;
const lastMark = 0x10fffd;

export function formatAttachmentMark(index: number): string {
  return String.fromCodePoint(firstMark + index);
}

export function isMark(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return code >= firstMark && code <= lastMark;
}

export function findAttachment(
  attachments: readonly Attachment[],
  character: string,
): Attachment | undefined {
  return isMark(character) ? attachments[(character.codePointAt(0) ?? 0) - firstMark] : undefined;
}

/** Text in which attachments are marks, as its parts. A mark without an attachment is nothing. */
export function splitPieces(text: string, attachments: readonly Attachment[]): (string | Attachment)[] {
  const pieces: (string | Attachment)[] = [];
  let typed = '';
  for (const character of text) {
    if (!isMark(character)) {
      typed += character;
      continue;
    }
    if (typed !== '') pieces.push(typed);
    typed = '';
    const attachment = findAttachment(attachments, character);
    if (attachment) pieces.push(attachment);
  }
  return typed === '' ? pieces : [...pieces, typed];
}

/** A piece as the text that is taken from the input line: pasted text in full, an image by its name. */
export function writePiece(piece: string | Attachment): string {
  if (typeof piece === 'string') return piece;
  return piece.kind === 'text' ? piece.content : formatLabel(piece);
}

export function findLabel(attachments: readonly Attachment[], character: string): string | undefined {
  const attachment = findAttachment(attachments, character);
  return attachment && formatLabel(attachment);
}

export function formatLabel(attachment: Attachment): string {
  if (attachment.kind === 'image') return `[Image #${attachment.number}]`;
  const lines = countLines(attachment.content);
  return lines > 1
    ? `[Pasted text #${attachment.number} +${lines} lines]`
    : `[Pasted text #${attachment.number} ${attachment.content.length} characters]`;
}

/** Lines as a reader counts them: the break that ends the last one does not begin another. */
export function countLines(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

export function nextNumber(attachments: readonly Attachment[], kind: Attachment['kind']): number {
  return attachments.filter((one) => one.kind === kind).length + 1;
}

/** There are only this many marks, so this is the most attachments possible. */
export function isFull(attachments: readonly Attachment[]): boolean {
  return attachments.length > lastMark - firstMark;
}
