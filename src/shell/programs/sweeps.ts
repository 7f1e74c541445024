import { type Told, untold } from '../../lib/told.ts';
import { mayMatchName } from '../../places/name-pattern.ts';
import { foldName } from '../../places/paths.ts';
import { everything, type Sweep } from '../grammar/types.ts';
import { type SweepOptions, sweepOptions } from '../tables/sweeps.data.ts';
import type { PathUse } from './effect.ts';
import type { ReadArguments } from './flags.ts';

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

/** Dot names are skipped unless an option or a pattern asks for them. */
export function describeRipgrepSweep(read: ReadArguments): Sweep {
  const { values } = read;
  const globs = values.flatMap(([name, value]): Told<string>[] =>
    /^(?:-g|--i?glob)$/.test(name) ? [value] : [],
  );
  const wanted = globs.filter((glob) => glob === untold || !glob.startsWith('!'));
  const plain = wanted.flatMap((glob): string[] => (glob === untold || /[/{}\\]/.test(glob) ? [] : [glob]));
  return {
    deep: true,
    hidden: hasOption('rg', read, 'hidden') || wanted.length > 0,
    follows: hasOption('rg', read, 'follows'),
    heeds: true,
    ...(plain.length > 0 && plain.length === wanted.length ? { only: plain } : {}),
    ...(hasOption('rg', read, 'hidden') || wanted.some(mayEnterGit) ? {} : { passesGit: true as const }),
    ...passing(globs.flatMap((glob) => (glob !== untold && glob.startsWith('!') ? [glob.slice(1)] : []))),
  };
}

/** A pattern of wanted names opens a hidden directory only where it matches the directory itself. */
function mayEnterGit(glob: Told<string>): boolean {
  const last = glob === untold ? '*' : (glob.replace(/\/+$/, '').split('/').at(-1) ?? '');
  return /[{}\\]/.test(last) || mayMatchName(foldName(last), '.git');
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
