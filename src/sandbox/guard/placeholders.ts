import { mkdirSync } from '../../lib/files/exact-files.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { holdDirectory } from '../../lib/files/hold-directory.ts';
import { failure, formatError, getErrorCode, ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { statEntry } from './look.ts';
import { isStandIn, ownMark, releaseStandIn } from './stand-ins.ts';

/** Where our settings and those of others would be read: closed to commands before they exist. */
export const placeholderNames = ['.cadre', '.claude'];

/**
 * Directories that exist only while a command needs something to mount on, and the number of commands that do. For the whole
 * process: sessions that share a workspace share its placeholders. Other processes see a mark in the directory.
 */
const users = new Map<string, number>();

export interface Placeholders {
  paths: string[];
  /** Removes them again, when no other command needs them and they are empty. */
  giveBack(): void;
}

export function listPlaceholders(directories: readonly string[]): string[] {
  return directories.flatMap((directory) => placeholderNames.map((name) => join(directory, name)));
}

/** Creates missing ones, and holds those that others have created for the same purpose. */
export function takePlaceholders(directories: readonly string[]): Result<Placeholders> {
  const paths: string[] = [];
  let given = false;
  const giveBack = () => {
    if (given) return;
    given = true;
    for (const path of paths) release(path);
  };
  for (const path of listPlaceholders(directories)) {
    const taken = take(path);
    if (!taken.ok) {
      giveBack();
      return taken;
    }
    if (taken.value) paths.push(path);
  }
  return ok({ paths, giveBack });
}

/** Whether it is one: an existing directory of the user needs none. */
function take(path: string): Result<boolean> {
  const count = users.get(path) ?? 0;
  const held = count > 0 ? ok(true) : hold(path);
  if (held.ok && held.value) users.set(path, count + 1);
  return held;
}

const attempts = 20;

/** Another process may remove it until it has our mark; then it is created again. */
function hold(path: string): Result<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    if (!make(path) && !isStandIn(path)) {
      if (statEntry(path) === undefined) continue;
      return ok(false);
    }
    const marked = mark(path);
    if (marked !== 'gone') return marked;
  }
  return ok(false);
}

function mark(path: string): 'gone' | Result<boolean> {
  const held = holdDirectory(path);
  if (!held.ok) return 'gone';
  try {
    mkdirSync(join(held.value.path, ownMark()));
    return ok(true);
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'EEXIST') return ok(true);
    if (code === 'ENOENT') return 'gone';
    const place = visibleLine(path, 300);
    return failure(
      `${place} is a stand-in for a missing directory while another user's command runs, and cannot be shared (${formatError(error)}).`,
      'Try again when that command has ended.',
    );
  } finally {
    held.value.close();
  }
}

function release(path: string): void {
  const left = (users.get(path) ?? 1) - 1;
  if (left > 0) {
    users.set(path, left);
    return;
  }
  users.delete(path);
  releaseStandIn(path, true);
}

function make(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}
