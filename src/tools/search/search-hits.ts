import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';
import { descriptorPath, type OpenedPlace, type RealPath, RealPlaces } from '../../lib/files/real-places.ts';
import { getErrorCode } from '../../lib/result.ts';
import type { ToolContext } from '../../protocol/tool.ts';
import type { SearchPlace } from './search-paths.ts';

export interface HeldHit {
  path: string;
  /** Good for naming the file, not for reading; the caller closes it. */
  descriptor: number;
  stat: Stats;
}

/**
 * Names that ripgrep gave, which are no more than guesses: while it looked around, another process may have led it
 * elsewhere. Each is judged, and looked at or held where the search was judged to be. What is not there, or behind a
 * link, was not found.
 */
export class SearchHits {
  readonly #places = new RealPlaces();
  /** A file was left out because this process may open no more: the result is not complete. */
  isCrowded = false;

  constructor(
    private readonly place: SearchPlace,
    private readonly context: ToolContext,
  ) {}

  /** When a regular file was last changed; undefined where there is none, or none that may be shown. */
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

  /** Whether something is there that may be shown, and that the system does not let us read. */
  isClosed(path: string): boolean {
    if (!this.#mayShow(path)) return false;
    const held: OpenedPlace<number> = this.#places.hold(this.#realPath(path));
    if (held.state === 'failed') return getErrorCode(held.error) === 'EACCES';
    return held.state === 'found' && isUnreadable(held.value);
  }

  close(): void {
    this.#places.close();
  }

  /** By the name that it has for the agent, and by where it really is. */
  #mayShow(path: string): boolean {
    const { directory, real } = this.place;
    const { mayRead } = this.context;
    return mayRead(below(directory, path)) && (directory === real || mayRead(this.#realPath(path)));
  }

  #realPath(path: string): RealPath {
    return this.place.file?.real ?? (below(this.place.real, path) as RealPath);
  }
}

/** A relative path of ripgrep's has nothing in it that would have to be resolved. */
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
