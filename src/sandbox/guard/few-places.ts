import { dirname } from '../../lib/files/exact-paths.ts';

/** Each costs time at every command. */
export const maxShared = 20;

/** Many files in one place are closed by the directories that contain them, never by a root. */
export function fewPlaces(paths: readonly string[], roots: readonly string[]): string[] {
  let places = [...new Set(paths)];
  while (places.length > maxShared) {
    const deepest = Math.max(...places.map(depth));
    const climbed = places.map((path) =>
      depth(path) === deepest && !roots.includes(dirname(path)) ? dirname(path) : path,
    );
    const next = [...new Set(climbed)];
    if (next.length === places.length && next.every((path, index) => path === places[index])) return next;
    places = next;
  }
  return places;
}

function depth(path: string): number {
  return path.split('/').length;
}
