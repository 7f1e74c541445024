import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

/** Judges lines in a directory with these empty files, under the rules that a line is to have. */
export function filesGround(files: readonly string[], rulesFor: (command: string) => string[]) {
  const root = join(resolveRealPath(temporaryDirectory().path), 'repo');
  for (const file of files) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  const workspace = { cwd: root, directories: [], realPath: resolveRealPath, look: lookAtFiles([root]) };
  return (command: string, more: Partial<Case> = {}) =>
    judge({ accesses: [{ kind: 'shell', command, cwd: root }], workspace, allow: rulesFor(command), ...more })
      .behaviour;
}
