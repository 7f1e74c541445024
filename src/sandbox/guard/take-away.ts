import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from '../../lib/files/exact-files.ts';
import { basename, decodePath, dirname, join } from '../../lib/files/exact-paths.ts';
import { holdDirectory } from '../../lib/files/hold-directory.ts';
import { removeTree } from '../../lib/files/remove-tree.ts';
import { randomIds } from '../../lib/ids.ts';
import { formatError, getErrorCode } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { isForeignToGit } from '../../workspace/git/walk.ts';
import { type CopyRoom, copyOut } from './copy-out.ts';
import type { Copy } from './kept.ts';
import { asidePlace } from './left-sandboxes.ts';
import { statEntry } from './look.ts';
import { openUp } from './open-up.ts';

export interface TakeOptions {
  /** Our own directory. */
  home: string;
  /** How much is kept in total. */
  room: CopyRoom;
  /** Called for files that could not be kept and are lost. */
  lose(what: string): void;
}

/**
 * Each returns why it failed; undefined on success. First the name is removed: the file is moved aside, to our own directory
 * or, on another disk, to a name beside it. Then it is copied, since another command may hold it, and removed.
 */
export function takeAway(path: string, to: string, { home, room, lose }: TakeOptions): string | undefined {
  return inPlace(dirname(path), (here) => {
    const from = join(here, basename(path));
    const beside = join(here, `.removed-${randomIds.token(8)}`);
    const aside = moveAside(path, from, asidePlace(home), beside);
    const lost = copyOut(aside, to, { room, movesFor: aside === beside ? undefined : home });
    for (const { name, why } of lost) lose(`${visibleLine(join(path, name), 300)} (${why})`);
    if (!removeTree(aside, maxRemoveMs) && aside === beside)
      lose(
        `${visibleLine(join(dirname(path), basename(beside)), 300)} (left there: it takes too long to remove)`,
      );
  });
}

/** Its new path: in our own directory, or beside its old one. */
function moveAside(path: string, from: string, own: string | undefined, beside: string): string {
  const move = () => {
    if (own !== undefined && renameOnDisk(from, own)) return own;
    renameSync(from, beside);
    return beside;
  };
  try {
    return move();
  } catch (error) {
    if (getErrorCode(error) !== 'EACCES') throw error;
    // A command can close a directory to keep its entries there.
    openUp(dirname(path));
    openUp(path);
    return move();
  }
}

/** False where it is another disk. */
function renameOnDisk(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (getErrorCode(error) !== 'EXDEV') throw error;
    return false;
  }
}

/** Deep or large trees are removed later if they are in our own directory. */
const maxRemoveMs = 2_000;

/**
 * The same for a path that is wrong only as a link or a pipe, such as one in a git directory. Another command may put the
 * real directory in its place at any moment: the moved entry is checked where no other process can reach it, and goes back if
 * it is neither.
 */
export function takeLinkAway(path: string, to: string): string | undefined {
  let isBack = false;
  const problem = inPlace(dirname(path), (here) => {
    isBack = !takeLink(join(here, basename(path)), to, join(here, `.${randomIds.token(8)}`));
  });
  return problem ?? (isBack ? 'it was no longer a link or pipe, and was left in place' : undefined);
}

export function putLinkBack(path: string, target: string): string | undefined {
  return inPlace(dirname(path), (here) => symlinkSync(target, join(here, basename(path))));
}

/** With its missing parent directories. */
export function putCopyBack({ path, kind, mode, content }: Copy): string | undefined {
  if (kind !== 'directory' && content === undefined) return 'it was too large to keep a copy';
  const above = dirname(path);
  if (statEntry(above) === undefined) {
    const problem = putCopyBack({ path: above, kind: 'directory', ctime: 0, mode: 0o755 });
    if (problem !== undefined) return problem;
  }
  return inPlace(above, (here) => {
    const to = join(here, basename(path));
    if (kind === 'directory') mkdirSync(to);
    else if (kind === 'link') symlinkSync(decodePath(content ?? Buffer.alloc(0)), to);
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
    return formatError(error);
  } finally {
    parent.value.close();
  }
}

/** Whether it was one. `aside` is a free name on the same disk. */
function takeLink(from: string, to: string, aside: string): boolean {
  try {
    renameSync(from, to);
    if (isForeignToGit(lstatSync(to))) return true;
    giveBack(to, from);
    return false;
  } catch (error) {
    if (getErrorCode(error) !== 'EXDEV') throw error;
  }
  renameSync(from, aside);
  const stat = lstatSync(aside);
  if (!isForeignToGit(stat)) {
    giveBack(aside, from);
    return false;
  }
  // A pipe has no content to keep.
  if (stat.isSymbolicLink()) symlinkSync(readlinkSync(aside), to);
  // Never more than one entry that is not a directory.
  unlinkSync(aside);
  return true;
}

/** An entry put in its place meanwhile is removed: it came from a command. */
function giveBack(taken: string, home: string): void {
  for (let attempt = 1; ; attempt++)
    try {
      renameSync(taken, home);
      return;
    } catch (error) {
      const isInTheWay = ['ENOTDIR', 'ENOTEMPTY', 'EEXIST', 'EISDIR'].includes(getErrorCode(error) ?? '');
      if (!isInTheWay || attempt === maxAttempts) throw error;
      makeWay(home, `${taken}-${attempt}`);
    }
}

const maxAttempts = 100;

function makeWay(path: string, to: string): void {
  try {
    renameSync(path, to);
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error;
  }
}
