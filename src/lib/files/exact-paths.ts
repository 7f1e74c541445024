import { decodeUtf8 } from '../text/utf8.ts';

/**
 * Paths as the kernel has them. A name is bytes, and need not be valid UTF-8; the usual decoding puts U+FFFD in the place of
 * such bytes, so the string leads nowhere, or to another file. Here a byte that is not part of valid UTF-8 becomes a lone
 * surrogate, as in Python (`surrogateescape`). Valid text never contains those. Such a path is an ordinary string: it can be
 * compared, split, stored as JSON, and it leads back to its bytes. All other paths are unchanged.
 *
 * `node:fs` and `node:path` would lose them: `lib/exact-files.ts` and the functions below do not.
 */
export function decodePath(bytes: Buffer): string {
  return decodeUtf8(bytes) ?? decodePieces(bytes);
}

/** For `node:fs` calls and other programs. */
export function encodePath(path: string): string | Buffer {
  return path.isWellFormed() ? path : pathBytes(path);
}

export function pathBytes(path: string): Buffer {
  if (path.isWellFormed()) return Buffer.from(path);
  const pieces = path.split(/([\udc80-\udcff]+)/u);
  return Buffer.concat(
    pieces.map((piece, index) => (index % 2 === 0 ? Buffer.from(piece) : Buffer.from(piece, 'latin1'))),
  );
}

/**
 * Text that may contain such paths, for people and models: those bytes are written as `\\xNN`. Nearly all texts contain none.
 */
export function showBytes(text: string): string {
  if (text.isWellFormed()) return text;
  const written = text.replace(
    /[\udc80-\udcff]/gu,
    (sign) => `\\x${(sign.charCodeAt(0) - 0xdc00).toString(16)}`,
  );
  return written.toWellFormed();
}

/** In bytes. */
export function pathLength(path: string): number {
  return path.isWellFormed() ? Buffer.byteLength(path) : pathBytes(path).length;
}

/**
 * The path of an entry in a directory, which is a real path: there is nothing to fold. Called for every entry of a workspace.
 */
export function joinName(directory: string, name: string): string {
  return directory === '/' ? `/${name}` : `${directory}/${name}`;
}

/** Like `node:path`. */
export function join(first: string, ...more: readonly string[]): string {
  const [name] = more;
  // Nearly always one plain name in a directory.
  if (more.length === 1 && name !== undefined && isPlainName(name) && isPlainDirectory(first))
    return joinName(first, name);
  const all = [first, ...more].filter((part) => part !== '').join('/');
  return all === '' ? '.' : normalise(all);
}

export function dirname(path: string): string {
  const end = findEnd(path);
  const cut = end === 0 ? -1 : path.lastIndexOf('/', end - 1);
  if (cut < 0) return path.startsWith('/') ? '/' : '.';
  if (cut === 0) return '/';
  return cut === 1 && path.startsWith('//') ? '//' : path.slice(0, cut);
}

export function basename(path: string): string {
  const end = findEnd(path);
  return end === 0 ? '' : path.slice(path.lastIndexOf('/', end - 1) + 1, end);
}

/** `directory` is absolute. */
export function resolve(directory: string, path: string): string {
  const whole = normalise(path.startsWith('/') ? path : `${directory}/${path}`);
  return whole.length > 1 ? whole.replace(/\/$/, '') : whole;
}

function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/');
}

/** Absolute, with nothing to fold. */
function isPlainDirectory(path: string): boolean {
  if (!path.startsWith('/') || (path.length > 1 && path.endsWith('/')) || path.includes('//')) return false;
  return !path.includes('/.') || !/\/\.\.?(?:\/|$)/.test(path);
}

function normalise(path: string): string {
  const isAbsolute = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!isAbsolute) parts.push(part);
  }
  const text = parts.join('/');
  const end = path.endsWith('/') && text !== '' ? '/' : '';
  if (isAbsolute) return `/${text}${end}`;
  return text === '' ? (path.endsWith('/') ? './' : '.') : `${text}${end}`;
}

/** The end of a path without trailing slashes. */
function findEnd(path: string): number {
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end--;
  return end;
}

function decodePieces(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    const size = measureCharacter(lead);
    const character = size === 0 ? undefined : decodeUtf8(bytes.subarray(at, at + size));
    text += character ?? String.fromCharCode(0xdc00 + lead);
    at += character === undefined ? 1 : size;
  }
  return text;
}

/** Number of bytes of a character with this lead byte; 0 where it is invalid. */
function measureCharacter(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
