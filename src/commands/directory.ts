import { accessSync, constants } from 'node:fs';
import type { Problem } from '../lib/result.ts';

/** Why no session can run in a directory; undefined if one can. */
export function closedDirectory(path?: string): Problem | undefined {
  try {
    accessSync(path ?? process.cwd(), constants.R_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return {
      kind: 'usage',
      message: `The ${path === undefined ? 'current directory' : `directory ${path}`} ${isGone ? 'no longer exists' : 'is not readable'}.`,
      hint: 'Start cadre in a directory that you can read.',
    };
  }
}
