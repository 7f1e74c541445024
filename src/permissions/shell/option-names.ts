import { joinPath } from '../../workspace/paths.ts';
import type { Look } from '../look.ts';
import type { PathUse } from './effect.ts';
import type { Value } from './types.ts';

/**
 * A name that a pattern or a search may become and that the command would take for an option, where an option could make
 * it read a further file; undefined where there is none.
 */
export function findOptionName(
  use: PathUse,
  directories: readonly string[],
  look: Look | undefined,
): string | undefined {
  if (!use.optionsRead || !look) return undefined;
  for (const value of use.word.values ?? [])
    for (const directory of directories) {
      const found = namesFrom(value, directory, look)?.find((path) =>
        path.startsWith(joinPath(directory, '-')),
      );
      if (found !== undefined) return found;
    }
  return undefined;
}

function namesFrom(value: Value, directory: string, look: Look): readonly string[] | undefined {
  if (value.sweep) return look.expand(directory, '-*');
  return value.isPattern && /^[*?[]/.test(value.glob) ? look.expand(directory, value.glob) : [];
}
