import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { encodePath } from './exact-paths.ts';

/**
 * Opens a file of our own, by its exact path; throws the system's error. Anything else under its name is refused: opening a named pipe would
 * wait for a process at its other end, and the whole program with it.
 */
export function openRegular(path: string, flags: number = constants.O_RDONLY, mode = 0o600): number {
  const file = openSync(encodePath(path), flags | withoutWaiting, mode);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new IrregularFile(path);
}

/** Makes an empty file that only its existence or its time says something by. An existing one is left as it is. */
export function touchRegular(path: string): void {
  closeSync(openRegular(path, constants.O_WRONLY | constants.O_CREAT));
}

/** A pipe does not block, and a terminal does not become ours. */
const withoutWaiting = constants.O_NONBLOCK | constants.O_NOCTTY;

/** The code that the system itself has for opening a socket, or a pipe that nobody reads. */
class IrregularFile extends Error {
  readonly code = 'ENXIO';

  constructor(path: string) {
    super(`${path} is not a regular file`);
  }
}
