import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';
import { descriptorPath, type OpenedPlace, type RealPath, RealPlaces } from '../../lib/files/real-places.ts';
import { getErrorCode } from '../../lib/result.ts';
import type { ToolContext } from '../../protocol/tool.ts';
import type { SearchPlace } from './search-paths.ts';

export interface HeldHit {
  path: string;
  /** For naming the file, not for reading; the caller closes it. */
  descriptor: number;
  stat: Stats;
}

/**
 * Names from ripgrep, which are only candidates: while it searched, another process may have redirected it
 * elsewhere. Each is judged, and examined or opened where the search was judged to be. A file that is missing there, or
 * behind a link, was not found.
 */
export class SearchHits {
  readonly #places = new RealPlaces();
  /** A file was left out because this process has too many open files: the result is not complete. */
  isCrowded = false;

  constructor(
    private readonly place: SearchPlace,
    private readonly context: ToolContext,
  ) {}

  /** The modification time of a regular file; undefined if there is none, or none that may be shown. */
  readTime(path: string): number | undefined {
    if (!this.#mayShow(path)) return undefined;
    const found = this.#places.look(this.#realPath(path));
    return found.state === 'found' && found.value.isFile() ? found.value.mtimeMs : undefined;
  }

  hold(path: string): HeldHit | undefined {
    if (!this.#mayShow(path)) return undefined;
    const held = this.#places.hold(this.#realPath(path));
    if (held.state === 'failed') this.isCrowded ||= /^E[MN]FILE$/.test(getErrorCode(held.error) ?? '');
    if (held.state !== 'found') return undefined;
    const stat = fstatSync(held.value);
    if (stat.isFile()) return { path, descriptor: held.value, stat };
    closeSync(held.value);
    return undefined;
  }

  /** Whether something exists that may be shown but that we have no permission to read. */
  isClosed(path: string): boolean {
    if (!this.#mayShow(path)) return false;
    const held: OpenedPlace<number> = this.#places.hold(this.#realPath(path));
    if (held.state === 'failed') return getErrorCode(held.error) === 'EACCES';
    return held.state === 'found' && isUnreadable(held.value);
  }

  close(): void {
    this.#places.close();
  }

  /** By its name for the agent, and by its real path. */
  #mayShow(path: string): boolean {
    const { directory, real } = this.place;
    const { mayRead } = this.context;
    return mayRead(below(directory, path)) && (directory === real || mayRead(this.#realPath(path)));
  }

  #realPath(path: string): RealPath {
    return this.place.file?.real ?? (below(this.place.real, path) as RealPath);
  }
}

/** A relative path from ripgrep has nothing to resolve. */
function below(directory: string, path: string): string {
  return directory === '/' ? `/${path}` : `${directory}/${path}`;
}

function isUnreadable(held: number): boolean {
  try {
    const stat = fstatSync(held);
    if (!stat.isFile() && !stat.isDirectory()) return false;
    closeSync(openSync(descriptorPath(held), constants.O_RDONLY | constants.O_NONBLOCK));
    return false;
  } catch (error) {
    return getErrorCode(error) === 'EACCES';
  } finally {
    closeSync(held);
  }
}
