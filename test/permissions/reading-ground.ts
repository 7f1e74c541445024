import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

const files = [
  'a.txt',
  'hush.txt',
  'n0',
  'sub/b.txt',
  'sub/.c',
  'deep/hidden.txt',
  'deep/open.txt',
  'deep/down/d.txt',
];

/** A home with our own directory in it, and a workspace below: each line runs there under a rule for every program in it. */
export function openReadingGround() {
  const userHome = join(resolveRealPath(temporaryDirectory().path), 'home');
  const home = join(userHome, '.cadre');
  const root = join(userHome, 'work');
  const put = (path: string, text = 'text\n') => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const file of files) put(join(root, file));
  put(join(home, 'keys.json'));
  put(join(home, 'skills/a.md'));
  const look = lookAtFiles([root]);
  const workspace = { cwd: root, directories: [], realPath: resolveRealPath, look, userHome, home };
  return {
    ...{ root, home, userHome, put },
    judge: (command: string, more: Partial<Case> = {}) =>
      judge({
        accesses: [{ kind: 'shell', command, cwd: root }],
        ...{ workspace, allow: programsIn(command).map((name) => `Bash(${name}:*)`), ...more },
      }).behaviour,
  };
}

function programsIn(command: string): string[] {
  return command.split(/\s*(?:&&|[;|])\s*/).map((part) => part.split(' ')[0] ?? '');
}
