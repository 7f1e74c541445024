/** A directory with a shorter name. An empty name is the current directory: paths below it need no prefix. */
export interface NamedPlace {
  readonly path: string;
  readonly name: string;
}

/** The directories of a session, with the names shown for them. */
export function listPlaces(known: { cwd: string; home: string; scratchpad?: string | null }): NamedPlace[] {
  return [
    { path: known.cwd, name: '' },
    { path: known.scratchpad ?? '', name: 'scratchpad' },
    { path: known.home, name: '~' },
  ].filter(({ path }) => path.startsWith('/') && path !== '/');
}

/**
 * Paths as a person would write them. Not for what is run or saved: commands, rules and tool results are shown
 * unchanged.
 */
export function shortenPlaces(text: string, places: readonly NamedPlace[]): string {
  if (places.length === 0 || !text.includes('/')) return text;
  // If one is inside another, the inner one wins.
  const inner = places.toSorted((a, b) => b.path.length - a.path.length);
  const paths = inner.map(({ path }) => path.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  const names = new Map(inner.map(({ path, name }) => [path, name]));
  const whole = new RegExp(`(?<![\\w./~-])(${paths})(?:(/)(?=[^\\s/])|(?![\\w.-]))`, 'g');
  return text.replace(whole, (_, path: string, slash?: string) => {
    const name = names.get(path) ?? '';
    if (slash === undefined) return name === '' ? '.' : name;
    return name === '' ? '' : `${name}/`;
  });
}
