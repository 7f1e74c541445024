import { decodeUtf8 } from '../../lib/text/utf8.ts';
import { isHarmlessSetting } from './own.data.ts';
import { parseGitConfig } from './parse-config.ts';

/**
 * Whether git's settings contain a name that is not valid UTF-8 and that has to be repeated to switch it off: a filter, a
 * diff driver, a submodule. Our variables cannot hold such a name. Branches, remotes and values may be anything.
 */
export function hasUnnameable(settings: Buffer): boolean {
  if (decodeUtf8(settings) !== undefined) return false;
  return parseGitConfig(decodeLatin1(settings)).some(
    ({ section, subsection, name }) =>
      decodeName(subsection) === undefined &&
      (section === 'submodule' || !isHarmlessSetting(`${section}.${subsection}.${name}`)),
  );
}

/** The names of submodules in a `.gitmodules` file, one character per byte. */
export function parseSubmodules(description: Buffer): string[] {
  const found = parseGitConfig(decodeLatin1(description)).filter(({ section }) => section === 'submodule');
  return [...new Set(found.map(({ subsection }) => subsection))];
}

/** Whether a directory of a checkout can have an entry of that name: git reads others from a tree or an index, and follows them. */
export function isEntryName(name: string): boolean {
  return !['', '.', '..', '.git'].includes(name.toLowerCase()) && !name.includes('/');
}

/** The text of a name with one character per byte; undefined where it is not valid UTF-8. */
export function decodeName(name: string): string | undefined {
  return decodeUtf8(Buffer.from(name, 'latin1'));
}

/** Git skips a byte order mark. */
function decodeLatin1(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
}
