import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { surveyWorkspace } from '../../../src/sandbox/guard/survey.ts';

/** A workspace with a directory of mode 0444, looked through. */
export async function surveyClosed(root: string) {
  const closed = join(root, 'closed');
  mkdirSync(closed);
  writeFileSync(join(closed, 'file'), '');
  chmodSync(closed, 0o444);
  try {
    const { directories, shared } = await surveyWorkspace([root], '/nowhere');
    return { directories: directories.size, shared: shared.length };
  } finally {
    chmodSync(closed, 0o755);
  }
}
