/** The part of a checkout that a pathspec of git may cover. */
export interface Pathspec {
  /** A directory or file, relative to the command's directory or to the top. */
  readonly path: string;
  readonly isFromTop: boolean;
}

const everywhere: Pathspec = { path: '.', isFromTop: true };

/**
 * What these pathspecs cover together, at least. Those that leave something out cover nothing by themselves; alone they
 * stand for everything else. No pathspec is everything.
 */
export function readPathspecs(texts: readonly string[]): readonly Pathspec[] {
  const covered = texts.flatMap(readPathspec);
  return covered.length > 0 ? covered : [everywhere];
}

const signs = /[*?[\\]/;

function readPathspec(text: string): Pathspec[] {
  if (!text.startsWith(':')) return [{ path: fixedPart(text), isFromTop: false }];
  const long = /^:\(([^)]*)\)(.*)$/s.exec(text);
  if (long) return readMagic((long[1] ?? '').split(','), long[2] ?? '');
  const [, short = '', path = ''] = /^:([!"#%&',\-/;<=>@_`~^]*):?(.*)$/s.exec(text) ?? [];
  const names = [...short].map((sign) => (sign === '/' ? 'top' : /[!^]/.test(sign) ? 'exclude' : 'unknown'));
  return readMagic(names, path);
}

function readMagic(names: readonly string[], path: string): Pathspec[] {
  if (names.includes('exclude')) return [];
  const isKnown = names.every((name) => /^(?:|top|literal|glob|attr:.*)$/.test(name));
  // In any case (`icase`), or in a way that is not known here, it may be any file.
  if (!isKnown || path === '') return [everywhere];
  const isFromTop = names.includes('top');
  return [{ path: names.includes('literal') ? path : fixedPart(path), isFromTop }];
}

/** The directory of a pattern, which may cross slashes. */
function fixedPart(text: string): string {
  const at = text.search(signs);
  return at < 0 ? text || '.' : text.slice(0, text.lastIndexOf('/', at) + 1) || '.';
}
