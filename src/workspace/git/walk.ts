import { formatStamp } from '../../lib/files/change-time.ts';
import { statEntryPrecisely } from '../../lib/files/entry-at.ts';
import { type DirectoryEntry, listEntries } from '../../lib/files/exact-files.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { getErrorCode } from '../../lib/result.ts';

/**
 * Walks all folders of a repository's data, to find what could mislead git. `enter` returns the folders to visit next, or a
 * string that ends the walk and is its result.
 */
export function walkGitData(
  data: string,
  isSkipped: (inner: string) => boolean,
  enter: (folder: string, inner: string) => readonly string[] | string,
): string | undefined {
  const waiting = [data];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const inner = folder.slice(data.length + 1);
    if (isSkipped(inner)) continue;
    const found = enter(folder, inner);
    if (typeof found === 'string') return found;
    waiting.push(...found);
  }
  return undefined;
}

/** Undefined where they cannot be read. */
export function listDataEntries(folder: string): DirectoryEntry[] | undefined {
  try {
    return listEntries(folder);
  } catch (error) {
    return getErrorCode(error) === 'ENOENT' ? [] : undefined;
  }
}

/** A socket, such as that of git's own watcher, cannot be opened, and blocks nothing. */
export function isForeignToGit(
  entry: Pick<DirectoryEntry, 'isSymbolicLink' | 'isFIFO' | 'isCharacterDevice' | 'isBlockDevice'>,
): boolean {
  return entry.isSymbolicLink() || entry.isFIFO() || entry.isCharacterDevice() || entry.isBlockDevice();
}

/** Folders found to be plain, with their state then and the folders in them: there may be thousands of objects. */
export type PlainFolders = Map<string, { readonly state: string; readonly folders: readonly string[] }>;

export const maxPlain = 50_000;

/** Protected as a whole: links in them do not matter. */
const apart = ['hooks', 'modules'];

export function isApartInGit(folder: string, data: string): boolean {
  return apart.some((name) => `${folder}/`.startsWith(`${data}/${name}/`));
}

/**
 * Links, pipes and devices in a git directory. Git creates none, and follows links it finds: if a log is a link, the user's
 * next commit writes to its target. For a pipe it waits forever. A folder in `plain` had none, and none can have been added
 * without changing it.
 */
export function linksInGitData(data: string, plain?: PlainFolders): string[] {
  const links: string[] = [];
  walkGitData(
    data,
    (inner) => apart.includes(inner),
    (folder) => {
      const stat = plain && statEntryPrecisely(folder);
      const state = stat && formatStamp(stat);
      const known = plain?.get(folder);
      if (state !== undefined && known?.state === state) return known.folders;
      const entries = listDataEntries(folder) ?? [];
      const named = (some: readonly DirectoryEntry[]) => some.map(({ name }) => join(folder, name));
      const found = named(entries.filter(isForeignToGit));
      links.push(...found);
      const folders = named(entries.filter((entry) => entry.isDirectory()));
      if (plain && plain.size > maxPlain) plain.clear();
      if (state !== undefined && found.length === 0) plain?.set(folder, { state, folders });
      return folders;
    },
  );
  return links;
}
