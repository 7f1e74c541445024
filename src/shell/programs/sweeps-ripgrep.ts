import { type Told, untold } from '../../lib/told.ts';
import { mayMatchName } from '../../places/name-pattern.ts';
import { foldName } from '../../places/paths.ts';
import type { Sweep } from '../grammar/types.ts';
import { ripgrepTypes } from '../tables/ripgrep-types.data.ts';
import { sweepOptions } from '../tables/sweeps.data.ts';
import type { ReadArguments } from './flags.ts';

/** Dot names are skipped unless an option, a pattern or a type asks for them. */
export function describeRipgrepSweep({ flags, values }: ReadArguments): Sweep {
  const { rg } = sweepOptions;
  const has = (kind: 'hidden' | 'follows') => rg?.[kind]?.split(' ').some((one) => flags.has(one)) === true;
  const globs = values.flatMap(([name, value]): Told<string>[] =>
    /^(?:-g|--i?glob)$/.test(name) ? [readGlob(value)] : [],
  );
  const wanted = globs.filter((glob) => glob === untold || !glob.startsWith('!'));
  const plain = wanted.flatMap((glob): string[] => (glob === untold || /[/{}\\]/.test(glob) ? [] : [glob]));
  const dotted = values.flatMap(([name, value]) => (/^(?:-t|--type)$/.test(name) ? namesOfType(value) : []));
  return {
    deep: true,
    hidden: has('hidden') || wanted.length > 0,
    follows: has('follows'),
    heeds: true,
    ...(plain.length > 0 && plain.length === wanted.length ? { only: plain } : {}),
    ...(dotted.length > 0 ? { dotted } : {}),
    ...(passesGit(globs, has('hidden')) ? { passesGit: true as const } : {}),
  };
}

/**
 * A pattern as ripgrep reads it: as a line of an ignore file, without blanks at its end. A comment or an empty line is none,
 * so that the search takes everything. The sign behind `-g` in one word is not part of it; in a word of its own it is.
 */
function readGlob(text: Told<string>): Told<string> {
  const glob = text === untold ? '' : text.replace(/[ \t]+$/, '');
  return /^(?:[#=]|$)|\s$/.test(glob) ? untold : glob;
}

/** A file of a wanted type is taken though it is hidden, like one of a wanted name; hidden directories are not entered. */
function namesOfType(type: Told<string>): readonly string[] {
  const name = type === untold ? '' : type.replace(/^=/, '');
  if (!Object.hasOwn(ripgrepTypes, name)) return ['*'];
  return ripgrepTypes[name]?.split(' ').map((ending) => `*.${ending}`) ?? [];
}

/** Of several patterns the last that matches counts. */
function passesGit(globs: readonly Told<string>[], isHidden: boolean): boolean {
  const last = globs.findLast((glob) => isGitSkipped(glob) || mayEnterGit(glob));
  return last === undefined ? !isHidden : isGitSkipped(last);
}

function isGitSkipped(glob: Told<string>): boolean {
  return glob !== untold && /^!\.git\/?$/.test(glob);
}

/** A pattern of wanted names opens a hidden directory only where it matches the directory itself. */
function mayEnterGit(glob: Told<string>): boolean {
  if (glob !== untold && glob.startsWith('!')) return false;
  const last = glob === untold ? '*' : (glob.replace(/\/+$/, '').split('/').at(-1) ?? '');
  return /[{}\\]/.test(last) || mayMatchName(foldName(last), '.git');
}
