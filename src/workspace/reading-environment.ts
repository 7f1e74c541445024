import { isAbsolute } from 'node:path';
import { quietVariables, type ReadingVariables, readingVariables } from './reading-variables.data.ts';
import { isFollowed, resolveRealPath } from './real-path.ts';
import { createOutsideTest, systemPath } from './search-path.ts';

type Treatment = keyof ReadingVariables;

export interface ReadingPlace {
  /** Directories of the workspace, its main checkout and its other worktrees; looked up only where a variable needs it. */
  places(): readonly string[];
  readonly userHome: string;
}

/**
 * The environment of a command that runs without asking because it only reads: no variable leads its programs to code or
 * settings in the workspace, or makes an interpreter do more than it was called for. Where the shell starts no program, only
 * variables that the loader and the C library read are removed, so that reading a variable shows the user's own value.
 * Programs that would look for updates or report their use are told not to.
 */
export function readingEnvironment(
  env: Readonly<Record<string, string>>,
  { places, userHome }: ReadingPlace,
  startsPrograms = true,
): Record<string, string> {
  let isOutside: ((real: string) => boolean) | undefined;
  // The loader reads `;` like `:`, and gives `$ORIGIN` and `%` special meanings.
  const isFit = (entry: string) => {
    if (!isAbsolute(entry) || /[;$%\\\0]/.test(entry)) return false;
    isOutside ??= createOutsideTest(places(), userHome);
    const real = resolveRealPath(entry);
    return isFollowed(entry, real) && isOutside(real);
  };
  const kept = Object.entries(env).flatMap(([name, value]): [string, string][] => {
    if (!startsPrograms && !isForEveryProgram(name)) return [[name, value]];
    const left = treat(tellTreatment(name), value, isFit) ?? (name === 'PATH' ? systemPath : undefined);
    return left === undefined ? [] : [[name, left]];
  });
  return { ...Object.fromEntries(kept), ...(startsPrograms ? quietVariables : {}) };
}

function treat(treatment: Treatment, value: string, isFit: (entry: string) => boolean): string | undefined {
  switch (treatment) {
    case 'kept':
      return value;
    case 'dropped':
      return undefined;
    case 'versions':
      return /^[A-Za-z0-9][\w.+:-]*$/.test(value) ? value : undefined;
    case 'places': {
      const entries = value.split(':');
      const fit = entries.filter(isFit);
      if (fit.length === entries.length) return value;
      return fit.length > 0 ? fit.join(':') : undefined;
    }
  }
}

/** Read before a program, including the shell, does anything. */
function isForEveryProgram(name: string): boolean {
  return /^(?:LD_|DYLD_|GCONV_|GLIBC_|LOCALE_ARCHIVE$|LOCPATH$|NLSPATH$|TERMINFO|BASH_FUNC_|(?:BASH_)?ENV$)/.test(
    name,
  );
}

/** By the most exact entry: a whole name, else the longest pattern. */
export function tellTreatment(name: string): Treatment {
  return exact.get(name) ?? patterns.find(({ pattern }) => pattern.test(name))?.treatment ?? 'kept';
}

const treatments: readonly Treatment[] = ['kept', 'places', 'versions', 'dropped'];
const entries = readingVariables.flatMap((row) =>
  treatments.flatMap((treatment) =>
    row[treatment]
      .split(' ')
      .filter((name) => name !== '')
      .map((name) => ({ name, treatment })),
  ),
);
const exact: ReadonlyMap<string, Treatment> = new Map(
  entries.filter(({ name }) => !name.includes('*')).map(({ name, treatment }) => [name, treatment]),
);
const patterns = entries
  .filter(({ name }) => name.includes('*'))
  // Patterns of a beginning come before those of an end.
  .sort((one, other) => rank(other.name) - rank(one.name))
  .map(({ name, treatment }) => ({ treatment, pattern: new RegExp(`^${name.split('*').join('.*')}$`, 's') }));

function rank(name: string): number {
  return name.length + (name.startsWith('*') ? 0 : 100);
}
