import type { PathUse } from './effect.ts';
import type { ReadArguments } from './flags.ts';
import { everything, type Sweep } from './types.ts';

/** Which names below its operands a tool comes across, as far as its options tell. */
export function sweepOf(name: string, read: ReadArguments): NonNullable<PathUse['sweep']> {
  const { flags, values } = read;
  const has = (...names: string[]) => names.some((one) => flags.has(one));
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
      return sweepOfRipgrep(read);
    case 'fd':
    case 'fdfind':
      return sweepOfFd(read);
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
    case 'git diff':
      return everything;
    case 'diff':
      return { ...everything, follows: !has('--no-dereference') };
    case 'du':
      // Sizes of directories; of files only when told.
      if (has('-L', '-D', '-H')) return { ...everything, follows: true };
      return has('-a', '--all') ? everything : 'none';
    default:
      return 'none';
  }
}

/** What begins with a dot is left out unless it is asked for, by an option or by a pattern. */
export function sweepOfRipgrep({ flags, values }: ReadArguments): Sweep {
  const globs = values.flatMap(([name, value]) => (/^(?:-g|--i?glob)$/.test(name) ? [value] : []));
  const wanted = globs.filter((glob) => !glob?.startsWith('!'));
  const isOpen = ['--hidden', '-.', '--unrestricted', '-u'].some((flag) => flags.has(flag));
  const plain = wanted.flatMap((glob) => (glob === undefined || /[/{}\\]/.test(glob) ? [] : [glob]));
  return {
    deep: true,
    hidden: isOpen || wanted.length > 0,
    ...(plain.length > 0 && plain.length === wanted.length ? { only: plain } : {}),
  };
}

export function sweepOfFd({ flags }: ReadArguments): Sweep {
  const hidden = ['--hidden', '-H', '--unrestricted', '-u'].some((flag) => flags.has(flag));
  return { deep: true, hidden };
}
