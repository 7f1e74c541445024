import { isFollowed, resolveRealPath } from './real-path.ts';

/**
 * Remembers where directories lead when they are first named. One that leads elsewhere later is ignored: a directory in a
 * workspace, or one that does not exist yet, can be turned into a link to anywhere by any process that may write there. So is
 * one that cannot be followed.
 */
export function settlePlaces(): (paths: readonly string[]) => string[] {
  const known = new Map<string, string>();
  return (paths) =>
    paths.filter((path) => {
      const real = resolveRealPath(path);
      const first = known.get(path) ?? real;
      known.set(path, first);
      return real === first && isFollowed(path, real);
    });
}
