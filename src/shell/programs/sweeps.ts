import { untold } from '../../lib/told.ts';
import { everything, type Sweep } from '../grammar/types.ts';
import { type SweepOptions, sweepOptions } from '../tables/sweeps.data.ts';
import type { PathUse } from './effect.ts';
import type { ReadArguments } from './flags.ts';
import { describeRipgrepSweep } from './sweeps-ripgrep.ts';

/** The names below its operands that a tool finds, as far as its options say. */
export function describeSweep(name: string, read: ReadArguments): NonNullable<PathUse['sweep']> {
  const { values } = read;
  const has = (kind: keyof SweepOptions) => hasOption(name, read, kind);
  switch (name) {
    case 'ls':
      if (has('shows')) return 'none';
      return { deep: has('deep'), hidden: has('hidden'), follows: has('follows') };
    case 'tree':
      return {
        deep: true,
        hidden: has('hidden'),
        follows: has('follows'),
        ...(read.flags.has('--gitignore') ? { heeds: true as const } : {}),
      };
    case 'rg':
      return describeRipgrepSweep(read);
    case 'fd':
    case 'fdfind':
      return describeFdSweep(read);
    case 'grep':
    case 'egrep':
    case 'fgrep': {
      const of = (flag: string) =>
        values.filter(([one]) => one === flag).map(([, value]) => (value === untold ? '*' : value));
      // Of several the last that matches wins, and the first says what happens to names that none matches.
      const isExcluding =
        values.find(([flag]) => /^--(?:include|exclude|exclude-from)$/.test(flag))?.[0] !== '--include';
      const only = isExcluding ? [] : of('--include');
      const except = values.flatMap(([flag, value]) =>
        flag === '--exclude' && value !== untold && of('--include').length === 0 ? [value] : [],
      );
      const more = {
        ...(only.length > 0 ? { only } : {}),
        ...passing(of('--exclude-dir')),
        ...(binaryOptions.some((flag) => read.flags.has(flag)) ? {} : { textOnly: true as const }),
      };
      return { ...everything, ...more, except, follows: has('follows') };
    }
    case 'git diff':
      return everything;
    case 'diff':
      return {
        ...{ ...everything, follows: !has('follows') },
        ...passing(listTold(values, ['-x', '--exclude'])),
      };
    case 'du':
      // Sizes of directories; of files only with an option.
      if (has('follows')) return { ...everything, follows: true };
      return has('shows') ? everything : 'none';
    default:
      return 'none';
  }
}

/** With these, grep takes a file that is not text for text. */
const binaryOptions = ['-a', '--text', '--binary-files', '-z', '--null-data', '-U', '--binary'];

/** Whether one of these names that are skipped is that of git's data, as every version of a program reads it. */
export function passing(skipped: readonly string[]): Pick<Sweep, 'passesGit'> {
  return skipped.some((name) => /^\.git\/?$/.test(name)) ? { passesGit: true } : {};
}

/** The values of options, as far as they are in the text. */
export function listTold(values: ReadArguments['values'], flags: readonly string[]): string[] {
  return values.flatMap(([flag, value]) => (flags.includes(flag) && value !== untold ? [value] : []));
}

/** An option of a search program whose meaning for the found names is not in the tables. */
export function unclassedOption(
  name: string,
  { flags }: ReadArguments,
  besides: ReadonlySet<string> = new Set(),
): string | undefined {
  const options = Object.hasOwn(sweepOptions, name) ? sweepOptions[name] : undefined;
  if (!options) return undefined;
  const known = Object.values(options).flatMap((text: string) => text.split(' '));
  return [...flags].find((flag) => !known.includes(flag) && !besides.has(flag));
}

function hasOption(name: string, { flags }: ReadArguments, kind: keyof SweepOptions): boolean {
  return sweepOptions[name]?.[kind]?.split(' ').some((flag) => flags.has(flag)) === true;
}

export function describeFdSweep(read: ReadArguments): Sweep {
  return {
    deep: true,
    hidden: hasOption('fd', read, 'hidden'),
    follows: hasOption('fd', read, 'follows'),
    heeds: true,
    ...passing(listTold(read.values, ['-E', '--exclude'])),
  };
}
