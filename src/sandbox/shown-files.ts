import type { CallWorkspace } from '../places/types.ts';
import { isWithin } from '../workspace/paths.ts';

/** The files that the sandbox can show to a command. Other hidden files belong to the machine or to other users. */
export function findShowable(files: readonly string[], workspace: CallWorkspace): string[] {
  const { cwd, directories, userHome, realPath } = workspace;
  const places = [cwd, ...directories, userHome].map((place) => realPath(place));
  return files.filter((file) => places.some((place) => isWithin(file, place)));
}

/** Files that an approval shows, for the question. Files of the workspace are visible anyway. */
export function describeShown(
  files: readonly string[],
  { cwd, directories, realPath }: CallWorkspace,
): string {
  const places = [cwd, ...directories].map((place) => realPath(place));
  const others = new Set(
    files.map(realPath).filter((file) => !places.some((place) => isWithin(file, place))),
  );
  if (others.size === 0) return '';
  return `; once allowed, this command can read ${others.size > 1 ? 'them' : 'it'} inside the sandbox`;
}
