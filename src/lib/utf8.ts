/** Text for bytes; undefined where they are not valid UTF-8. A byte order mark stays. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Whether a name may stand for bytes that are not valid UTF-8. Decoding puts U+FFFD in their place, so the text names
 * another file, setting or submodule than the bytes do.
 */
export function isLossy(name: string): boolean {
  return name.includes('\uFFFD');
}
