import { type NamedPlace, shortenPlaces } from '../text/index.ts';

interface Rewound {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
}

const maxNamed = 5;

/** Such as `3 files restored, 1 removed`. */
export function countRewound({ restored, removed }: Rewound): string {
  const files = (count: number) => `${count} ${count === 1 ? 'file' : 'files'}`;
  if (restored.length === 0) return `${files(removed.length)} removed`;
  return `${files(restored.length)} restored${removed.length > 0 ? `, ${removed.length} removed` : ''}`;
}

/** A line for each kind, with the names of some. */
export function describeRewound(
  { restored, removed }: Rewound,
  places: readonly NamedPlace[],
  [restore, remove]: [string, string] = ['Restored', 'Removed'],
): string[] {
  return [
    ...(restored.length > 0 ? [`${restore} ${nameFiles(restored, places)}.`] : []),
    ...(removed.length > 0 ? [`${remove} ${nameFiles(removed, places)}.`] : []),
  ];
}

export function nameFiles(paths: readonly string[], places: readonly NamedPlace[]): string {
  const named = paths.map((path) => shortenPlaces(path, places)).toSorted();
  const more = named.length - maxNamed;
  return `${named.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
