/** A directory that people know by a shorter name. An empty name is where they are: what is below needs none. */
export interface NamedPlace {
  readonly path: string;
  readonly name: string;
}

/** Where a session is at home, by the names that are shown for it. */
export function listPlaces(known: { cwd: string; home: string; scratchpad?: string | null }): NamedPlace[] {
  return [
    { path: known.cwd, name: '' },
    { path: known.scratchpad ?? '', name: 'scratchpad' },
    { path: known.home, name: '~' },
  ].filter(({ path }) => path.startsWith('/') && path !== '/');
}

/**
 * Paths as a person would write them. For what is glanced at only: a question, a command and what a tool gave back are
 * shown as they are.
 */
export function shortenPlaces(text: string, places: readonly NamedPlace[]): string {
  if (places.length === 0 || !text.includes('/')) return text;
  // Of one that is inside of another the inner counts.
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
