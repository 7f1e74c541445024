/** Text as stored, with everything needed to write it back in the same form. */
export interface DecodedText {
  text: string;
  encoding: 'utf-8' | 'utf-16le';
  byteOrderMark: boolean;
  /** False if bytes were replaced in decoding: such text cannot be written back without damage. */
  exact: boolean;
}

export function decodeText(bytes: Uint8Array): DecodedText {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  const byteOrderMark = encoding === 'utf-16le' || startsWithMark(bytes);
  try {
    return {
      text: new TextDecoder(encoding, { fatal: true }).decode(bytes),
      encoding,
      byteOrderMark,
      exact: true,
    };
  } catch {
    return { text: new TextDecoder(encoding).decode(bytes), encoding, byteOrderMark, exact: false };
  }
}

export function encodeText(text: string, form: Pick<DecodedText, 'encoding' | 'byteOrderMark'>): Uint8Array {
  const marked = form.byteOrderMark ? `\ufeff${text}` : text;
  return Buffer.from(marked, form.encoding === 'utf-16le' ? 'utf16le' : 'utf8');
}

function startsWithMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}
