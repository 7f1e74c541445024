import {
  chmodSync,
  cpSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { holdDirectory } from '../../lib/hold-directory.ts';
import { codeOf, messageOf } from '../../lib/result.ts';
import type { Copy } from './kept.ts';
import { entryAt } from './look.ts';
import { type OddDirectory, within } from './odd-names.ts';

/** Each says why it could not be done; undefined when it was. */
export function takeAway(path: string, to: string): string | undefined {
  return inPlace(dirname(path), (here) => {
    const from = join(here, basename(path));
    try {
      move(from, to);
    } catch (error) {
      if (codeOf(error) !== 'EACCES') throw error;
      openUp(dirname(path));
      openUp(path);
      move(from, to);
    }
  });
}

export function takeOddAway({ directory, name }: OddDirectory, to: string): string | undefined {
  return inPlace(directory, (here) => renameSync(within(Buffer.from(here), name), to));
}

export function putLinkBack(path: string, target: string): string | undefined {
  return inPlace(dirname(path), (here) => symlinkSync(target, join(here, basename(path))));
}

/** With the directories around it, as far as they are gone too. */
export function putCopyBack({ path, kind, mode, content }: Copy): string | undefined {
  if (kind !== 'directory' && content === undefined) return 'it was too large to keep a copy';
  const above = dirname(path);
  if (entryAt(above) === undefined) {
    const problem = putCopyBack({ path: above, kind: 'directory', ctime: 0, mode: 0o755 });
    if (problem !== undefined) return problem;
  }
  return inPlace(above, (here) => {
    const to = join(here, basename(path));
    if (kind === 'directory') mkdirSync(to);
    else if (kind === 'link') symlinkSync(String(content), to);
    else writeFileSync(to, content ?? '', { flag: 'wx' });
    if (kind !== 'link') chmodSync(to, mode & 0o7777);
  });
}

/** This runs with all rights: a link on the way must not lead it to files that the command itself could not touch. */
function inPlace(directory: string, change: (here: string) => void): string | undefined {
  const parent = holdDirectory(directory);
  if (!parent.ok) return parent.problem.message;
  try {
    change(parent.value.path);
    return undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    parent.value.close();
  }
}

/** A command can close a directory to keep what is in it there. */
function openUp(path: string): void {
  inPlace(path, (here) => chmodSync(here, statSync(here).mode | 0o700));
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false });
    rmSync(from, { recursive: true, force: true });
  }
}
