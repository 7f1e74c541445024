import { homedir, userInfo } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type Ids, randomIds } from '../lib/ids.ts';
import { type Layout, layoutOf } from '../store/layout.ts';
import { findRoot } from '../workspace/workspace.ts';
import type { SessionOptions } from './options.ts';

/** The one place where the process is looked at: from here on everything is passed as values. */
export interface Surroundings {
  cwd: string;
  /** The repository's top directory, or `cwd` outside of one. */
  root: string;
  isRepository: boolean;
  userHome: string;
  /** Our own state: `CADRE_HOME`, else `~/.cadre`. */
  home: string;
  layout: Layout;
  environment: Readonly<Record<string, string>>;
  shell: string;
  clock: Clock;
  ids: Ids;
}

export function lookAround(
  options: Pick<SessionOptions, 'cwd' | 'environment' | 'clock' | 'ids'>,
): Surroundings {
  const environment = definedOnly(options.environment ?? process.env);
  const cwd = resolve(options.cwd ?? process.cwd());
  const userHome = environment.HOME || homedir();
  const home = homeOf(environment, userHome);
  const root = findRoot(cwd);
  return {
    cwd,
    root: root ?? cwd,
    isRepository: root !== undefined,
    userHome,
    home,
    layout: layoutOf(home),
    environment,
    shell: environment.SHELL || loginShell(),
    clock: options.clock ?? systemClock,
    ids: options.ids ?? randomIds,
  };
}

/** A relative CADRE_HOME would point into whatever directory we are started in: it is taken from the user's home. */
export function homeOf(environment: Readonly<Record<string, string | undefined>>, userHome: string): string {
  const given = environment.CADRE_HOME;
  if (!given) return resolve(userHome, '.cadre');
  return isAbsolute(given) ? resolve(given) : resolve(userHome, given);
}

function definedOnly(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function loginShell(): string {
  try {
    return userInfo().shell || '/bin/sh';
  } catch {
    return '/bin/sh';
  }
}
