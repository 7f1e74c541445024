import type { PathUse } from './effect.ts';
import type { ReadArguments } from './flags.ts';
import { sweepOfFd, sweepOfRipgrep } from './names.ts';
import { everything, literalOf, type ShellWord } from './types.ts';

/** Which names below its operands a tool comes across, as far as its options tell. */
export function sweepOf(
  name: string,
  { flags, values }: ReadArguments,
  words: readonly ShellWord[],
): NonNullable<PathUse['sweep']> {
  const has = (...names: string[]) => names.some((one) => flags.has(one));
  const texts = () => words.map((word) => literalOf(word) ?? '--hidden');
  switch (name) {
    case 'ls':
      if (has('-d', '--directory')) return 'none';
      return {
        deep: has('-R', '--recursive'),
        hidden: has('-a', '-A', '-f', '--all', '--almost-all'),
        follows: has('-L', '--dereference'),
      };
    case 'tree':
      return { deep: true, hidden: has('-a'), follows: has('-l') };
    case 'rg':
      return sweepOfRipgrep(texts());
    case 'fd':
      return sweepOfFd(texts());
    case 'grep':
    case 'egrep':
    case 'fgrep': {
      const of = (flag: string) => values.filter(([one]) => one === flag).map(([, value]) => value ?? '*');
      const only = of('--include');
      const except = values.flatMap(([flag, value]) =>
        flag === '--exclude' && value !== undefined ? [value] : [],
      );
      return { ...everything, ...(only.length > 0 ? { only } : {}), except, follows: has('-R') };
    }
    case 'diff':
      return { ...everything, follows: !has('--no-dereference') };
    case 'du':
      // Sizes of directories; of files only when told.
      return has('-a', '--all') ? { ...everything, follows: has('-L') } : 'none';
    default:
      return 'none';
  }
}
