import { closeSync, fstatSync } from 'node:fs';
import { failure, formatError, ok, type Result } from '../result.ts';
import { showBytes } from './exact-paths.ts';
import { type OpenedPlace, RealPlaces } from './real-places.ts';

export interface HeldDirectory {
  /** Leads to this directory, whatever its old name leads to now. */
  readonly path: string;
  close(): void;
}

/**
 * Holds a directory open, so that work in it happens there and nowhere else: a program running at the same time could put a
 * link in its place between a check and a write. `path` must be real; one that now leads elsewhere is refused. Systems
 * without `/proc` have only the check.
 */
export function holdDirectory(path: string): Result<HeldDirectory> {
  const places = new RealPlaces();
  const held = places.directory(path);
  if (held.state === 'found') return ok({ path: held.value, close: () => places.close() });
  places.close();
  return refuse(path, held);
}

/**
 * The same for a directory that may be missing: it and its parents are created, each in one that is held. Never returns
 * `missing`.
 */
export function holdNewDirectory(path: string): OpenedPlace<HeldDirectory> {
  const places = new RealPlaces();
  const made = places.makeDirectory(path);
  if (made.state === 'found')
    return { state: 'found', value: { path: made.value, close: () => places.close() } };
  places.close();
  return made;
}

/**
 * A descriptor of a file or directory at a real path, useful only to name it; the caller closes it. Linux only. Paths that
 * share directories cost less with one `places` for all of them, which the caller closes.
 */
export function holdPlace(path: string, places?: RealPlaces): Result<number> {
  const own = places ?? new RealPlaces();
  const held = own.hold(path);
  if (!places) own.close();
  if (held.state !== 'found') return refuse(path, held);
  if (!fstatSync(held.value).isSymbolicLink()) return ok(held.value);
  closeSync(held.value);
  return refuse(path, { state: 'moved' });
}

function refuse(place: string, found: Exclude<OpenedPlace<unknown>, { state: 'found' }>): Result<never> {
  const path = showBytes(place);
  if (found.state === 'missing') return failure(`${path} cannot be opened: it does not exist.`);
  if (found.state === 'moved') return failure(`${path} was replaced by a link or moved.`);
  return failure(`${path} cannot be opened: ${formatError(found.error)}`);
}
