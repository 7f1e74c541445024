import { literalOf, type SimpleCommand, type Value } from './types.ts';

/** What is proved of a variable at one point of a script. */
export interface Variable {
  /** All that it may hold there; undefined when it is computed. */
  readonly values?: readonly Value[];
  readonly isNumber: boolean;
  /** Computed, but nothing in it can be a pattern. */
  readonly isPlain?: boolean;
}

/**
 * The variables that surely hold what the text says, at one point of a script. Whatever may not have run, or may run
 * again, makes them forget; a part that may not run gets an inner one, of which nothing is left afterwards.
 */
export class Variables {
  readonly #own = new Map<string, Variable | undefined>();

  constructor(readonly outer?: Variables) {}

  get(name: string): Variable | undefined {
    return this.#own.has(name) ? this.#own.get(name) : this.outer?.get(name);
  }

  define(name: string, variable: Variable): void {
    const isSmall = (variable.values?.length ?? 0) <= mostValues;
    this.#own.set(name, isSmall ? variable : { isNumber: variable.isNumber });
  }

  /** A number that is only ever replaced by numbers is still one. */
  forget(names: Iterable<string>, texts: ReadonlySet<string>): void {
    for (const name of names) {
      const isNumber = !texts.has(name) && this.get(name)?.isNumber === true;
      this.#own.set(name, isNumber ? { isNumber } : undefined);
    }
  }
}

const mostValues = 64;

/** Names that no program we know takes for a setting. The rest of the alphabet is `PATH`, `LD_PRELOAD`, `GIT_DIR` … */
export function isHarmlessName(name: string): boolean {
  if (/^[a-z_][a-z0-9_]*$/.test(name)) return !/proxy|^npm_|^pnpm_|^yarn_|^_$/.test(name);
  return scriptNames.has(name);
}

const scriptNames: ReadonlySet<string> = new Set([
  ...['A', 'B', 'C', 'D', 'F', 'I', 'J', 'K', 'N', 'X', 'Y', 'DIR', 'DIRS', 'FILE', 'FILES', 'SRC', 'ROOT'],
  ...[
    'NAME',
    'NAMES',
    'OUT',
    'COUNT',
    'TOTAL',
    'TARGET',
    'PATTERN',
    'COMMIT',
    'BRANCH',
    'HASH',
    'REV',
    'TAG',
  ],
]);

/** Settings for one command that change how it prints, not what it does. */
export function isSafeEnvironment(name: string): boolean {
  return safeEnvironment.has(name) || /^LC_[A-Z]+$/.test(name);
}

/** Whether all that a command sets for itself is such a setting: else it may be another command than its words say. */
export function hasPlainAssignments({ assignments }: Pick<SimpleCommand, 'assignments'>): boolean {
  return assignments.every(
    ({ name, word }) =>
      isSafeEnvironment(name) && word?.values?.length === 1 && isSafeValue(name, literalOf(word)),
  );
}

/** Languages, time zones and terminals are files that a program loads: their names must lead nowhere else. */
export function isSafeValue(name: string, value: string | undefined): boolean {
  if (!/^(?:LANG|LANGUAGE|LC_[A-Z]+|TERM|TZ)$/.test(name)) return true;
  if (value === undefined) return false;
  return name === 'TZ'
    ? /^(?:[\w+-]+(?:\/[\w+-]+)*)?$/.test(value)
    : /^[\w.@:+-]*$/.test(value) && !value.includes('..');
}

const safeEnvironment: ReadonlySet<string> = new Set([
  ...['LANG', 'LANGUAGE', 'TZ', 'TERM', 'NO_COLOR', 'FORCE_COLOR', 'CLICOLOR', 'COLUMNS', 'LINES', 'CI'],
  ...[
    'NODE_ENV',
    'RUST_BACKTRACE',
    'RUST_LOG',
    'PYTHONUNBUFFERED',
    'PYTHONDONTWRITEBYTECODE',
    'GOOS',
    'GOARCH',
  ],
  ...['CGO_ENABLED', 'DEBUG', 'VERBOSE', 'LS_COLORS', 'GREP_COLORS'],
]);

/** Variables of the environment that are no secret. */
export const openVariables: ReadonlySet<string> = new Set([
  ...[
    'HOME',
    'PWD',
    'OLDPWD',
    'PATH',
    'USER',
    'LOGNAME',
    'SHELL',
    'LANG',
    'TERM',
    'HOSTNAME',
    'TMPDIR',
    'TZ',
  ],
  ...['SHLVL', 'UID', 'EUID', 'PPID', 'RANDOM', 'SECONDS', 'LINENO', 'BASH_VERSION', 'OSTYPE', 'HOSTTYPE'],
  ...[
    'EDITOR',
    'PAGER',
    'NODE_ENV',
    'VIRTUAL_ENV',
    'GOPATH',
    'GOROOT',
    'JAVA_HOME',
    'CI',
    'COLUMNS',
    'LINES',
  ],
]);
