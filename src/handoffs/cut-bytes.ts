/** The beginning of the text, in whole characters, within so many UTF-8 bytes. */
export function cutBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const mark = '…';
  let end = Math.max(0, maxBytes - Buffer.byteLength(mark));
  // A byte of the form 10xxxxxx continues a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.subarray(0, end).toString('utf8')}${mark}`;
}
