import { accessSync, constants } from 'node:fs';
import type { Problem } from '../lib/result.ts';

/** Why no session can be in a directory; undefined where one can. */
export function closedDirectory(path: string): Problem | undefined {
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return {
      kind: 'usage',
      message: `The directory ${path} ${isGone ? 'does not exist any more' : 'cannot be read by you'}.`,
      hint: 'Start cadre in a directory that you may read.',
    };
  }
}
