import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { getErrorCode } from '../result.ts';
import { readlinkSync as readExactLink } from './exact-files.ts';
import { encodePath } from './exact-paths.ts';

declare const isReal: unique symbol;

/** An absolute path without a link in it, as it was when the path was judged. */
export type RealPath = string & { readonly [isReal]: true };

/** The result of opening a real path. */
export type OpenedPlace<T> =
  | { state: 'found'; value: T }
  | { state: 'missing' }
  /** A link is on the way, or the place moved: it is not what was judged. */
  | { state: 'moved' }
  | { state: 'failed'; error: unknown };

/** Linux: a descriptor that names a place without opening it. Node has no constant for it. */
const placeOnly = 0o10000000;
const attempts = 3;

/**
 * Opens real paths so that no link is ever followed: directory by directory from the root, each by its name in the one that
 * is held, and in the end the kernel is asked where the result is. Another process can swap directories and links at any
 * moment; then the answer is `moved`, never another file. The directories of the last path stay held until `close`, so that
 * many paths, in order, cost little more than one. Nothing is kept between tool calls.
 *
 * Linux only, since it needs `/proc`. Elsewhere a path is opened by its name and compared with its real path afterwards.
 */
export class RealPlaces {
  readonly #held: { name: string; descriptor: number }[] = [];
  /** The innermost of them, once all are held. */
  #entered: string | undefined;

  /** `utf8`: paths are exact (`exact-paths.ts`). `latin1`: they have one character per byte. */
  constructor(private readonly encoding: 'utf8' | 'latin1' = 'utf8') {}

  /**
   * A descriptor of whatever is there, including a link, for naming it (`descriptorPath`) and for `fstat`. The caller closes
   * it.
   */
  hold(path: string): OpenedPlace<number> {
    return this.#attempt(() => this.#hold(path));
  }

  /** The stat of whatever is there, including a link. */
  look(path: string): OpenedPlace<Stats> {
    if (process.platform !== 'linux') return lookByName(path);
    return this.#attempt(() => {
      const { parent, name } = this.#enter(path);
      const stat = lstatSync(this.#at(parent, name), { throwIfNoEntry: false });
      return stat && this.#isInPlace(parent) ? stat : this.#explain(parent, stat ? 'moved' : 'missing');
    });
  }

  /** The kernel's path of a directory that stays held until the next call or `close`. */
  directory(path: string): OpenedPlace<string> {
    if (process.platform !== 'linux') return isUnmoved(path);
    return this.#attempt(() => {
      const { parent } = this.#enter(path === '/' ? '/' : `${path}/.`);
      return this.#isInPlace(parent) ? descriptorPath(parent) : this.#explain(parent, 'moved');
    });
  }

  /** The same for one that may be missing: it and its parents are created, each in one that is held. */
  makeDirectory(path: string): OpenedPlace<string> {
    const held = this.directory(path);
    if (held.state !== 'missing' || path === '/') return held;
    const cut = path.lastIndexOf('/');
    const above = this.makeDirectory(path.slice(0, cut) || '/');
    if (above.state !== 'found') return above;
    try {
      mkdirSync(this.#encode(`${above.value}${path.slice(cut)}`));
    } catch (error) {
      // Another process may have created it at the same moment; anything else there is found below.
      if (getErrorCode(error) !== 'EEXIST') return { state: 'failed', error };
    }
    const made = this.directory(path);
    return made.state === 'missing' ? { state: 'moved' } : made;
  }

  close(): void {
    this.#keep(0);
  }

  #attempt<T>(open: () => T): OpenedPlace<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return { state: 'found', value: open() };
      } catch (error) {
        if (!(error instanceof Refusal)) return { state: 'failed', error };
        // A file that was just replaced exists again the next time; the held directories may be outdated.
        this.close();
        if (error.state === 'missing' || attempt === attempts) return { state: error.state };
      }
    }
  }

  #hold(path: string): number {
    if (process.platform !== 'linux') return openByName(path);
    const { parent, name } = this.#enter(path);
    const descriptor = this.#open(parent, name, 0);
    if (this.#placeOf(descriptor) === path) return descriptor;
    closeSync(descriptor);
    throw new Refusal('moved');
  }

  /** Holds the directory of a path. Those shared with the previous path are already held. */
  #enter(path: string): { parent: number; name: string } {
    const cut = path.lastIndexOf('/');
    const name = path.slice(cut + 1) || '.';
    const directory = path.slice(0, cut);
    if (this.#entered !== directory) this.#descend(directory);
    return { parent: this.#top(), name };
  }

  #descend(directory: string): void {
    const names = directory.split('/').slice(1);
    const same = names.findIndex((one, index) => this.#held[index + 1]?.name !== one);
    this.#keep(same === -1 ? names.length + 1 : same + 1);
    if (this.#held.length === 0)
      this.#held.push({ name: '', descriptor: openSync('/', placeOnly | constants.O_DIRECTORY) });
    for (const one of names.slice(this.#held.length - 1)) {
      const descriptor = this.#open(this.#top(), one, constants.O_DIRECTORY);
      this.#held.push({ name: one, descriptor });
    }
    this.#entered = directory;
  }

  #top(): number {
    return this.#held.at(-1)?.descriptor ?? -1;
  }

  #keep(count: number): void {
    this.#entered = undefined;
    for (const { descriptor } of this.#held.splice(count)) closeSync(descriptor);
  }

  #open(parent: number, name: string, flags: number): number {
    try {
      return openSync(this.#at(parent, name), placeOnly | constants.O_NOFOLLOW | flags);
    } catch (error) {
      if (getErrorCode(error) === 'ENOENT') return this.#explain(parent, 'missing');
      // The error of a link with O_DIRECTORY.
      if (getErrorCode(error) === 'ENOTDIR' && this.#isLink(parent, name)) throw new Refusal('moved');
      throw error;
    }
  }

  /** A missing entry is certain only in a directory that is still where it was. */
  #explain(parent: number, state: Refusal['state']): never {
    throw new Refusal(this.#isInPlace(parent) ? state : 'moved');
  }

  /** Whether the innermost directory is still where it was found. */
  #isInPlace(parent: number): boolean {
    const names = this.#held.slice(1).map(({ name }) => name);
    return this.#placeOf(parent) === `/${names.join('/')}`;
  }

  #isLink(parent: number, name: string): boolean {
    return (
      lstatSync(this.#at(parent, name), { throwIfNoEntry: false })?.isSymbolicLink() ??
      this.#explain(parent, 'missing')
    );
  }

  #placeOf(descriptor: number): string {
    const place = descriptorPath(descriptor);
    return this.encoding === 'utf8' ? readExactLink(place) : readlinkSync(place, { encoding: 'latin1' });
  }

  #at(parent: number, name: string): string | Buffer {
    return this.#encode(`${descriptorPath(parent)}/${name}`);
  }

  #encode(path: string): string | Buffer {
    return this.encoding === 'utf8' ? encodePath(path) : Buffer.from(path, 'latin1');
  }
}

/** Leads to the file that a descriptor of this process holds, whatever its name leads to now. Linux only. */
export function descriptorPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

class Refusal extends Error {
  constructor(readonly state: 'missing' | 'moved') {
    super(state);
  }
}

/** Without `/proc`: a link that is swapped in and out again within this moment is not noticed. */
function openByName(path: string): number {
  const found = lookByName(path);
  if (found.state !== 'found') throw found.state === 'failed' ? found.error : new Refusal(found.state);
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const opened = fstatSync(descriptor);
  const still = lookByName(path);
  if (still.state === 'found' && still.value.ino === opened.ino && still.value.dev === opened.dev)
    return descriptor;
  closeSync(descriptor);
  throw new Refusal('moved');
}

function lookByName(path: string): OpenedPlace<Stats> {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat) return { state: 'missing' };
    return realpathSync.native(path) === path ? { state: 'found', value: stat } : { state: 'moved' };
  } catch (error) {
    return { state: 'failed', error };
  }
}

function isUnmoved(path: string): OpenedPlace<string> {
  const found = lookByName(path);
  if (found.state !== 'found') return found;
  return found.value.isDirectory() ? { state: 'found', value: path } : { state: 'moved' };
}
