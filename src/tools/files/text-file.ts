import type { RealPath } from '../../lib/files/real-places.ts';
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
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return { text, encoding, byteOrderMark, exact: true };
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

/** A file before a change. */
export interface CurrentFile extends DecodedText {
  real: RealPath;
  bytes: Uint8Array;
  mode: number;
  owner: { uid: number; gid: number };
  version: string;
  /** The number of names of the file: with several, all of them must see the change. */
  links: number;
}
