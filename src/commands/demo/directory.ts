import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeFileError } from '../../lib/files/files.ts';
import { isSameProcess, processMark } from '../../lib/processes/mark.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import { sweepDead } from '../../session/owner.ts';

const prefix = 'cadre-demo-';
const markName = 'playing.json';

/** A directory for one demo. It records its owner, so the next demo removes what a killed one left. */
export function makeDirectory(): Result<string> {
  try {
    clearDead(tmpdir());
    const directory = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
    writeFileSync(join(directory, markName), JSON.stringify(processMark(process.pid)), { mode: 0o600 });
    return ok(directory);
  } catch (error) {
    return fail(describeFileError(error, tmpdir(), 'make a directory in'));
  }
}

/** It is kept, also by the next demo. */
export function keepDirectory(directory: string): void {
  rmSync(join(directory, markName), { force: true });
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

/** Directories of other users, and those without a mark, are left alone. */
function clearDead(parent: string): void {
  for (const name of readdirSync(parent)) {
    const directory = join(parent, name);
    if (!name.startsWith(prefix) || !isOwn(directory) || !isDead(join(directory, markName))) continue;
    // Processes it started may still run in there.
    sweepDead(join(directory, 'home'));
    removeDirectory(directory);
  }
}

function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

function isDead(mark: string): boolean {
  try {
    const { pid, start } = JSON.parse(readFileSync(mark, 'utf8'));
    return typeof pid === 'number' && typeof start === 'string' && !isSameProcess({ pid, start });
  } catch {
    return false;
  }
}
