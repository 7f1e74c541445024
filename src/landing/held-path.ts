import { type OpenedPlace, RealPlaces } from '../lib/files/real-places.ts';
import { type BytePath, getParentPath } from './byte-path.ts';

/**
 * Reaches files by their directory, which is held: a program that runs beside a landing can put a link in its place at any
 * moment, and nothing may be moved to where that leads. What `reach` gives is good until the next call.
 */
export class HeldPaths {
  readonly #places = new RealPlaces('latin1');

  /** Undefined where there is no directory for it. */
  reach(path: BytePath): BytePath | undefined {
    const held = this.#places.directory(getParentPath(path) || '/');
    return held.state === 'missing' ? undefined : join(found(held), path);
  }

  /** Makes the directories that it needs. */
  reachNew(path: BytePath): BytePath {
    return join(found(this.#places.makeDirectory(getParentPath(path) || '/')), path);
  }

  close(): void {
    this.#places.close();
  }
}

function found(held: OpenedPlace<string>): string {
  if (held.state === 'found') return held.value;
  throw held.state === 'failed'
    ? held.error
    : new Error('a link has taken the place of a directory above it');
}

function join(directory: string, path: BytePath): BytePath {
  return `${directory}/${path.slice(path.lastIndexOf('/') + 1)}`;
}
