import { join } from 'node:path';
import { formatStamp } from '../../lib/files/change-time.ts';
import { statEntryPrecisely } from '../../lib/files/entry-at.ts';
import type { DirectoryEntry } from '../../lib/files/exact-files.ts';
import { readBeginning } from '../../lib/files/read-bounded.ts';
import { isLossy } from '../../lib/text/utf8.ts';
import { isWithin } from '../paths.ts';
import { resolveRealPath } from '../real-path.ts';
import { listDataEntries, maxPlain, type PlainFolders, walkGitData } from './walk.ts';

export type { PlainFolders };

export interface DataLook {
  /** Files too. Folders in which a file was read are not cached: a file that is written in place leaves no trace there. */
  readonly plain: PlainFolders;
  /** Other names (hard links) of a file that are in the workspace. */
  otherNames?(path: string): readonly string[] | undefined;
  /** The words of the command; undefined where some are not in the text. */
  readonly words?: readonly string[] | undefined;
}

/**
 * Why git may read or write a file other than its own through its data: a link in it, another name of a file in the
 * workspace, or a reference that leads to a place without references. Git opens whatever is in the directory by name, most of
 * it as a reference, so all of it is checked.
 *
 * Git opens hooks and the stores of extensions only where a word names them as a reference. Links are common there.
 */
export function findForeignData(data: string, view: DataLook): string | undefined {
  let left = maxEntries;
  const enter = (folder: string, inner: string) => {
    const entry = statEntryPrecisely(folder);
    const state = entry && formatStamp(entry);
    const known = view.plain.get(folder);
    if (state !== undefined && known?.state === state) return known.folders;
    const found = lookThrough(folder, inner, data, view);
    if (typeof found === 'string') return found;
    if (!isObjects(inner)) left -= found.size;
    if (left < 0) return 'its repository is too large to check';
    if (view.plain.size > maxPlain) view.plain.clear();
    if (state !== undefined && found.isPlain) view.plain.set(folder, { state, folders: found.folders });
    return found.folders;
  };
  return walkGitData(data, (inner) => isUnopened(inner, view.words), enter);
}

const maxEntries = 50_000;

interface Looked {
  readonly size: number;
  readonly folders: readonly string[];
  /** Whatever the words of a command are. */
  readonly isPlain: boolean;
}

/** The entries of one folder; a string says why it is not plain. */
function lookThrough(folder: string, inner: string, data: string, view: DataLook): Looked | string {
  const folders: string[] = [];
  let isPlain = true;
  const entries = listDataEntries(folder);
  if (!entries) return `${folder} cannot be read`;
  // No file could be mistaken for an object or a log: each line has its form.
  const isFormal = /^(?:objects|logs)(?:\/|$)/.test(inner);
  for (const entry of entries) {
    if (isFormal && entry.isFile()) continue;
    const path = `${folder}/${entry.name}`;
    const name = inner === '' ? entry.name : `${inner}/${entry.name}`;
    if (isFed(entry)) return `in its repository's data, ${name} is a pipe or a device`;
    if (entry.isDirectory()) folders.push(path);
    else if (entry.isSymbolicLink()) {
      if (isUnopened(name, view.words)) isPlain = false;
      else if (!isOldReference(name, path, data))
        return `in its repository's data, ${name} is a link to ${resolveRealPath(path)}`;
    } else if (!isFormal) {
      isPlain = false;
      const foreign = describeFile(path, name, view);
      if (foreign !== undefined) return foreign;
    }
  }
  return { size: entries.length, folders, isPlain };
}

/** Another program decides what git reads from it. A socket, such as that of git's own watcher, cannot be opened. */
function isFed(entry: DirectoryEntry): boolean {
  return entry.isFIFO() || entry.isCharacterDevice() || entry.isBlockDevice();
}

/** With an old setting git creates references that are links to others. */
function isOldReference(name: string, path: string, data: string): boolean {
  if (name !== 'HEAD' && !name.startsWith('refs/')) return false;
  const target = resolveRealPath(path);
  return isWithin(target, join(data, 'refs')) && target !== join(data, 'refs');
}

/** Why a file is not what it seems, or may not be. */
function describeFile(path: string, name: string, { otherNames, plain }: DataLook): string | undefined {
  if (isLossy(path)) return `in its repository's data, ${name} has a name that is not valid UTF-8`;
  const stat = statEntryPrecisely(path);
  if (!stat?.isFile()) return undefined;
  const state = stat.nlink > 1 ? undefined : formatStamp(stat);
  if (state !== undefined && plain.get(path)?.state === state) return undefined;
  const [other] = stat.nlink > 1 ? (otherNames?.(path) ?? []) : [];
  if (other !== undefined) return `in its repository's data, ${name} is a hard link to ${other}`;
  const target = /^ref:\s*(.*?)\s*$/s.exec(readStart(path) ?? 'ref:')?.[1];
  // Commit messages may begin like this as well. No reference name contains a blank.
  if (target !== undefined && !target.startsWith('refs/') && !/\s/.test(target))
    return `in its repository's data, ${name} does not point to a reference`;
  if (state !== undefined) plain.set(path, { state, folders: [] });
  return undefined;
}

/** Enough to see whether git would take the file for a reference to another. */
function readStart(file: string): string | undefined {
  const read = readBeginning(file, 256, { refusesLinks: true });
  return read.state === 'read' ? read.bytes.toString('latin1') : undefined;
}

function isUnopened(inner: string, words: readonly string[] | undefined): boolean {
  const [top = ''] = inner.split('/');
  if (!unopened.has(top) || !words) return false;
  return !words.some((word) => word.toLowerCase().includes(top));
}

/** Data of submodules is judged from their own checkouts. */
const unopened: ReadonlySet<string> = new Set(['hooks', 'lfs', 'annex', 'modules']);

function isObjects(inner: string): boolean {
  return inner === 'objects' || inner.startsWith('objects/');
}
