/** Text for bytes; undefined where they are not valid UTF-8. A byte order mark stays. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Whether decoding put U+FFFD in the place of bytes that are not valid UTF-8, so that the string names another file, setting
 * or submodule than the bytes do.
 */
export function hasLostBytes(name: string): boolean {
  return name.includes('\uFFFD');
}

/**
 * Whether a name may represent bytes that are not valid UTF-8, as an exact path (`exact-paths.ts`) or a lossy string does.
 */
export function isLossy(name: string): boolean {
  return hasLostBytes(name) || !name.isWellFormed();
}
