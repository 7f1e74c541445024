import { type Told, untold } from '../../lib/told.ts';
import type { Look } from '../../places/look.ts';
import { joinPath } from '../../workspace/paths.ts';
import type { Value } from '../grammar/types.ts';
import type { PathUse } from './effect.ts';

/**
 * A name that a pattern or a search may become and that the command would take for an option, where an option could make it
 * read another file; undefined where there is none.
 */
export function findOptionName(
  use: PathUse,
  directories: readonly string[],
  look: Look | undefined,
): string | undefined {
  if (!use.optionsRead || !look) return undefined;
  for (const value of use.word.values ?? [])
    for (const directory of directories) {
      const names = listNames(value, directory, look);
      if (names === untold) return 'a name that begins with a dash';
      const found = names.find((path) => path.startsWith(joinPath(directory, '-')));
      if (found !== undefined) return found;
    }
  return undefined;
}

function listNames(value: Value, directory: string, look: Look): Told<readonly string[]> {
  if (value.sweep) return look.expand(directory, '-*');
  return value.isPattern && !/^[\w./]/.test(value.glob) ? look.expand(directory, value.glob) : [];
}
