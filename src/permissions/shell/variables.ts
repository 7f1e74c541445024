import type { Value } from './types.ts';

/** What a script's own text says of a variable, over all its assignments. */
export interface Variable {
  values: Value[];
  /** Some assignment is computed. */
  isComputed: boolean;
  /** Every assignment is a number. */
  isNumber: boolean;
  /** It may hold the value of a variable of the environment. */
  environment: boolean;
}

export class Variables {
  readonly #known = new Map<string, Variable>();

  get(name: string): Variable | undefined {
    return this.#known.get(name);
  }

  /** `values` undefined: computed. A loop over a pattern gives names, an assignment gives text. */
  assign(
    name: string,
    values: readonly Value[] | undefined,
    how: { number?: boolean; environment?: boolean } = {},
  ) {
    const before = this.#known.get(name);
    const all = [...(before?.values ?? []), ...(values ?? [])];
    const isDigits = values?.every((value) => !value.isPattern && /^\d+$/.test(value.text)) ?? false;
    this.#known.set(name, {
      values: all.slice(0, mostValues),
      isComputed: (before?.isComputed ?? false) || values === undefined || all.length > mostValues,
      isNumber: (before?.isNumber ?? true) && (how.number === true || isDigits),
      environment: (before?.environment ?? false) || how.environment === true,
    });
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
