import { chmodSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untold } from '../../../src/lib/told.ts';
import { Directories } from '../../../src/sandbox/directories.ts';
import { listNames, readEntries } from '../../../src/sandbox/guard/look.ts';
import { put, roomIn, run } from './support.ts';

/** What is in a directory that its owner had closed, after a command that opens it and writes there. */
export async function openClosed(path: string): Promise<{ mode: string; tasks: string; hasNew: boolean }[]> {
  const seen = [];
  for (const mode of ['000', '100', '300', '400', '600']) {
    const at = roomIn(join(path, mode));
    put(at, { 'd/.vscode/tasks.json': 'mine', 'd/a.txt': '' });
    const directory = join(at.cwd, 'd');
    chmodSync(directory, Number.parseInt(mode, 8));
    await run(
      at,
      'chmod 700 d; echo evil > d/.vscode/tasks.json; rm -rf d/.vscode; mkdir -p d/.vscode; echo evil > d/.vscode/tasks.json; echo evil > d/.npmrc; true',
    );
    chmodSync(directory, 0o700);
    const tasks = join(directory, '.vscode/tasks.json');
    seen.push({
      mode,
      tasks: existsSync(tasks) ? readFileSync(tasks, 'utf8') : 'missing',
      hasNew: existsSync(join(directory, '.npmrc')),
    });
    await at.sandbox.close();
  }
  return seen;
}

/** What is known of a directory when no file can be opened. */
export function useUpDescriptors(path: string): unknown {
  mkdirSync(join(path, 'w'));
  writeFileSync(join(path, 'w', '.npmrc'), '');
  const directories = new Directories(new Map([[join(path, 'w'), { node: 0, time: 0 }]]), 0, '/nowhere');
  const missing = listNames(join(path, 'missing'));
  const open = [];
  try {
    for (;;) open.push(openSync('/dev/null', 'r'));
  } catch {
    const names = [listNames(path), readEntries(path)].map((one) => one === untold);
    const { isWhole } = directories.look(1000);
    return { names, missing, isWhole, unread: directories.listUnread().length, met: directories.met.size };
  }
}
