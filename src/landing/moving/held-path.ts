import { type OpenedPlace, RealPlaces } from '../../lib/files/real-places.ts';
import { type BytePath, getParentPath } from './byte-path.ts';

/**
 * Reaches files through their directory, which is held open: a program running beside a landing can put a link in its place
 * at any moment, and nothing may be moved through that link. A result of `reach` is valid until the next call.
 */
export class HeldPaths {
  readonly #places = new RealPlaces('latin1');

  /** Undefined where its directory does not exist. */
  reach(path: BytePath): BytePath | undefined {
    const held = this.#places.directory(getParentPath(path) || '/');
    return held.state === 'missing' ? undefined : join(found(held), path);
  }

  /** Creates missing directories. */
  reachNew(path: BytePath): BytePath {
    return join(found(this.#places.makeDirectory(getParentPath(path) || '/')), path);
  }

  close(): void {
    this.#places.close();
  }
}

function found(held: OpenedPlace<string>): string {
  if (held.state === 'found') return held.value;
  throw held.state === 'failed' ? held.error : new Error('a directory above it was replaced by a link');
}

function join(directory: string, path: BytePath): BytePath {
  return `${directory}/${path.slice(path.lastIndexOf('/') + 1)}`;
}
