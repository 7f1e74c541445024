import { type Told, untold } from '../../lib/told.ts';
import {
  type Revisions,
  type ShellWord,
  type SimpleCommand,
  tellText,
  type Value,
} from '../grammar/types.ts';
import { plainSettings } from '../tables/settings-values.data.ts';

/** Proved facts about a variable at one point of a script. */
export interface Variable {
  /** Everything that it may hold there; undefined when it is computed. */
  readonly values?: readonly Value[];
  readonly isNumber: boolean;
  /** What a program counted; empty where it could not. */
  readonly isCount?: boolean;
  /** Computed, but nothing in it can be a pattern. */
  readonly isPlain?: boolean;
  /** Computed: commits that git printed by their ids. */
  readonly revisions?: Revisions | undefined;
}

/**
 * The variables that certainly hold what the text says, at one point of a script. Anything that may not have run, or may run
 * again, makes them forget; a part that may not run gets an inner one, of which nothing is left afterwards.
 */
export class Variables {
  readonly #own = new Map<string, Variable | undefined>();

  constructor(readonly outer?: Variables) {}

  get(name: string): Variable | undefined {
    return this.#own.has(name) ? this.#own.get(name) : this.outer?.get(name);
  }

  define(name: string, variable: Variable): void {
    const isSmall = (variable.values?.length ?? 0) <= maxValues;
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

const maxValues = 64;

/** Names that no known program reads as a setting. The rest of the alphabet is `PATH`, `LD_PRELOAD`, `GIT_DIR` … */
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
  return plainValues(name) !== undefined;
}

/** Whether everything a command sets for itself is such a setting: otherwise it may be another command than its words say. */
export function hasPlainAssignments({ assignments }: Pick<SimpleCommand, 'assignments'>): boolean {
  return assignments.every(({ name, word }) => isSafeValue(name, tellAssigned(word)));
}

/** A star in an assignment is text, unless it represents found names. */
export function tellAssigned(word: ShellWord | undefined): Told<string> {
  const [value, ...more] = word?.values ?? [];
  return value?.isPattern && more.length === 0 && !value.sweep && !value.pieces ? value.text : tellText(word);
}

/** Whether a value of such a setting can only be data; a computed one may be anything. */
export function isSafeValue(name: string, value: Told<string>): boolean {
  return value !== untold && plainValues(name)?.test(value) === true;
}

function plainValues(name: string): RegExp | undefined {
  const key = /^LC_[A-Z]+$/.test(name) ? 'LC' : name;
  return Object.hasOwn(plainSettings, key) ? plainSettings[key] : undefined;
}

/** Environment variables that are not secret. */
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
