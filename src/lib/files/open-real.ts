import { chmodSync, closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { getErrorCode } from '../result.ts';
import { descriptorPath, type OpenedPlace, type RealPath, RealPlaces } from './real-places.ts';

export interface RealFile {
  stat: Stats;
  /** Open for reading, closed by the caller; absent for anything but a regular file, which is not opened. */
  descriptor?: number;
}

export interface OpenOptions {
  /**
   * Also opens a file that its owner, who runs this, made unreadable (`chmod 000`): it is readable for the moment in which it
   * is opened. Linux only.
   */
  opensClosed?: boolean;
}

/**
 * Opens the file at a real path for reading: that one, or none. Never waits for a named pipe. A caller that opens many files
 * passes the places, and closes them.
 */
export function openReal(
  path: RealPath,
  lent?: RealPlaces,
  options: OpenOptions = {},
): OpenedPlace<RealFile> {
  const places = lent ?? new RealPlaces();
  try {
    return process.platform === 'linux' ? openHeld(path, places, options) : openNamed(path, places);
  } catch (error) {
    return { state: 'failed', error };
  } finally {
    if (!lent) places.close();
  }
}

function openHeld(path: RealPath, places: RealPlaces, { opensClosed }: OpenOptions): OpenedPlace<RealFile> {
  const held = places.hold(path);
  if (held.state !== 'found') return held;
  try {
    const stat = fstatSync(held.value);
    if (stat.isSymbolicLink()) return { state: 'moved' };
    if (!stat.isFile()) return { state: 'found', value: { stat } };
    const place = descriptorPath(held.value);
    const descriptor = opensClosed ? openClosed(place, stat) : openSync(place, readOnly);
    return { state: 'found', value: { stat, descriptor } };
  } finally {
    closeSync(held.value);
  }
}

const readOnly = constants.O_RDONLY | constants.O_NONBLOCK;

/** Through its held place, so that no other file gets its permissions. */
function openClosed(place: string, { mode, uid }: Stats): number {
  try {
    return openSync(place, readOnly);
  } catch (error) {
    const permissions = mode & 0o7777;
    const isClosed = uid === process.getuid?.() && (permissions & 0o400) === 0;
    if (getErrorCode(error) !== 'EACCES' || !isClosed) throw error;
    chmodSync(place, permissions | 0o400);
    try {
      return openSync(place, readOnly);
    } finally {
      chmodSync(place, permissions);
    }
  }
}

function openNamed(path: RealPath, places: RealPlaces): OpenedPlace<RealFile> {
  const seen = places.look(path);
  if (seen.state !== 'found') return seen;
  if (seen.value.isSymbolicLink()) return { state: 'moved' };
  if (!seen.value.isFile()) return { state: 'found', value: { stat: seen.value } };
  const held = places.hold(path);
  if (held.state !== 'found') return held;
  return { state: 'found', value: { stat: fstatSync(held.value), descriptor: held.value } };
}

/** The beginning of a file; `stat` alone where it is not a regular one. */
export interface ReadFile {
  stat: Stats;
  bytes?: Buffer;
}

/** Reads at most this many bytes, into a given buffer where they fit. */
export function readReal(
  path: RealPath,
  most: number,
  lent: { places?: RealPlaces; buffer?: Buffer } = {},
): OpenedPlace<ReadFile> {
  const found = openReal(path, lent.places);
  if (found.state !== 'found') return found;
  const { stat, descriptor } = found.value;
  if (descriptor === undefined) return { state: 'found', value: { stat } };
  try {
    const wanted = Math.min(stat.size, most);
    const buffer = lent.buffer && lent.buffer.length >= wanted ? lent.buffer : Buffer.allocUnsafe(wanted);
    const size = readSync(descriptor, buffer, 0, wanted, 0);
    return { state: 'found', value: { stat, bytes: buffer.subarray(0, size) } };
  } catch (error) {
    return { state: 'failed', error };
  } finally {
    closeSync(descriptor);
  }
}
