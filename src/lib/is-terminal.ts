import { fstatSync, statSync } from 'node:fs';

/**
 * Whether a standard stream is a terminal. The runtime's streams know it too, but to load and open them takes a sixth of the
 * program's start: they are asked only about a device that may be a terminal.
 */
export function isTerminal(descriptor: 0 | 1 | 2): boolean {
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isCharacterDevice() || stat.rdev === statSync('/dev/null').rdev) return false;
  } catch {
    return false; // It is closed.
  }
  if (descriptor === 0) return process.stdin.isTTY === true;
  return (descriptor === 1 ? process.stdout : process.stderr).isTTY === true;
}
