import { literalWord, readLiteral, type ShellWord } from '../grammar/types.ts';

/*
 * The names that programs give to what they fetch, by the address alone. Each program has its own reading of addresses, which
 * differs between versions, so a name is told only where every reading agrees.
 */

/** The file written to a directory; a word without values where its name is unknown. */
export function joinName(
  url: ShellWord,
  directory: string,
  nameBy: (address: string) => string | undefined,
): ShellWord {
  const text = readLiteral(url);
  const name = text === undefined ? undefined : nameBy(text);
  return name === undefined ? { text: text ?? url.text, single: true } : literalWord(`${directory}/${name}`);
}

/** The last part. Without one, versions of curl stop, or take the part before it, or a name of their own. */
export function nameByCurl(address: string): string | undefined {
  return isPlain(address) ? lastPart(address) : undefined;
}

/** Without a last part it is a page's usual name. A colon that is not before a port makes an address of FTP. */
export function nameByWget(address: string): string | undefined {
  if (!isPlain(address)) return undefined;
  const path = address.replace(scheme, '');
  const isPage = !path.includes('/') || path.endsWith('/');
  const isShort = !scheme.test(address) && !/^[^/:]+(?::\d+)?(?:\/|$)/.test(address);
  if (isShort) return undefined;
  return isPage ? 'index.html' : lastPart(address);
}

/** Without the signs of a pattern, a query, a fragment, a parameter or an escape. */
function isPlain(address: string): boolean {
  return /^[\w.~+=,@:/-]+$/.test(address);
}

const scheme = /^[a-z][\w+.-]*:\/\//i;

function lastPart(address: string): string | undefined {
  const [, ...parts] = address.replace(scheme, '').split('/');
  const name = parts.at(-1);
  return name === undefined || /^\.{0,2}$/.test(name) ? undefined : name;
}
