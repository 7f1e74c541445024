import { accessSync, constants } from 'node:fs';
import type { Problem } from '../lib/result.ts';
import { hasLostBytes } from '../lib/text/utf8.ts';

/** The system takes paths of 4,095 bytes. The rest is for files of ours and of git below. */
const maxBytes = 4_000;

/** Above that, files that do exist cannot be opened, each with an error of its own. */
export function findLongPath(path = process.cwd()): Problem | undefined {
  const bytes = Buffer.byteLength(path);
  if (bytes <= maxBytes) return undefined;
  return {
    kind: 'usage',
    message: `The path of the current directory is too long: ${bytes} bytes, at most ${maxBytes}.`,
    hint: 'Start cadre in a directory with a shorter path.',
  };
}

/** Why no session can run in a directory; undefined if one can. */
export function closedDirectory(path?: string): Problem | undefined {
  try {
    const long = findLongPath(path);
    if (long) return long;
    accessSync(path ?? process.cwd(), constants.R_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    // Its name, decoded, is another one, and there is nothing of that.
    const isOther = isGone && hasLostBytes(path ?? process.cwd());
    return {
      kind: 'usage',
      message: `The ${path === undefined ? 'current directory' : `directory ${path}`} ${isOther ? 'has a name that is not UTF-8' : isGone ? 'no longer exists' : 'is not readable'}.`,
      hint: isOther
        ? 'Rename it, or start cadre in another directory.'
        : 'Start cadre in a directory that you can read.',
    };
  }
}
