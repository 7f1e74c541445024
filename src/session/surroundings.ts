import { accessSync, constants, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type Ids, randomIds } from '../lib/ids.ts';
import { getErrorCode, ok, type Result, usage } from '../lib/result.ts';
import { Secrets } from '../lib/secrets/secrets.ts';
import { isLossy } from '../lib/text/utf8.ts';
import { openKeyStore } from '../models/keys.ts';
import { permissionModes } from '../protocol/index.ts';
import type { OtherTools } from '../settings/known-tools.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { type Layout, createLayout } from '../store/layout.ts';
import { isForUs, pickEnvironment } from '../tools/bash/pick-environment.ts';
import { findMainRoot } from '../workspace/git/main-root.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { findRoot } from '../workspace/workspace.ts';
import type { SessionOptions } from './options.ts';

/** The one place where the process is looked at: from here on everything is passed as values. */
export interface Surroundings {
  cwd: string;
  /** The repository's top directory, or `cwd` outside of one. */
  root: string;
  /** Of a work tree, the top of the main checkout. */
  mainRoot: string;
  isRepository: boolean;
  userHome: string;
  /** Our own state: `CADRE_HOME`, else `~/.cadre`. */
  home: string;
  layout: Layout;
  environment: Readonly<Record<string, string>>;
  /** Values that no text for a model, a file or a log may show; filled when settings and keys are known. */
  secrets: Secrets;
  shell: string;
  clock: Clock;
  ids: Ids;
  /** What can wait until the session ends. */
  atEnd: (() => void)[];
  /** Time and chance as they really are, where a tape sets those above. */
  outside: { clock: Clock; ids: Ids };
}

export function lookAround(
  options: Pick<SessionOptions, 'cwd' | 'environment' | 'clock' | 'ids'>,
): Surroundings {
  const environment = definedOnly(options.environment ?? process.env);
  const cwd = resolve(options.cwd ?? process.cwd());
  const userHome = environment.HOME || homedir();
  const home = findHome(environment, userHome);
  const root = findRoot(cwd);
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? randomIds;
  return {
    cwd,
    root: root ?? cwd,
    mainRoot: root === undefined ? cwd : findMainRoot(root),
    isRepository: root !== undefined,
    userHome,
    home,
    layout: createLayout(home),
    environment,
    secrets: new Secrets(),
    shell: findShell(environment),
    clock,
    ids,
    atEnd: [],
    outside: { clock, ids },
  };
}

/**
 * Without links: what is mounted in a sandbox, or compared with paths there, has none. A relative CADRE_HOME would point into
 * whatever directory we are started in: it is taken from the user's home.
 */
export function findHome(
  environment: Readonly<Record<string, string | undefined>>,
  userHome: string,
): string {
  const given = environment.CADRE_HOME || '.cadre';
  const path = isAbsolute(given) ? resolve(given) : resolve(userHome, given);
  const real = resolveRealPath(path);
  // One that cannot be followed is reported by whoever needs it.
  return real === '/' || isLossy(real) ? path : real;
}

/** Found before anything is spent: nothing could be kept in a file. What is not there yet will be made. */
export function checkHome({ home, environment }: Pick<Surroundings, 'home' | 'environment'>): Result<void> {
  if (statQuietly(home)?.isDirectory() !== false) return ok(undefined);
  const name = environment.CADRE_HOME ? `CADRE_HOME, ${home},` : home;
  return usage(`${name} is a file; Cadre keeps its sessions in a directory there.`, 'Move the file away.');
}

/** What a session, or a key to be kept, needs besides. Looked at beforehand: nothing was sent to a model yet. */
export function checkWritableHome(around: Pick<Surroundings, 'home' | 'environment'>): Result<void> {
  const usable = checkHome(around);
  if (!usable.ok) return usable;
  const { home, environment } = around;
  const nearest = nearestDirectory(home);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
    tryToMake(nearest);
    return usable;
  } catch (error) {
    const name = environment.CADRE_HOME ? `CADRE_HOME, ${home},` : home;
    const isFile = statQuietly(nearest)?.isDirectory() === false;
    const why = isFile
      ? 'is a file'
      : getErrorCode(error) === 'EROFS'
        ? 'is on a read-only disk'
        : getErrorCode(error) === 'EACCES' || getErrorCode(error) === 'EPERM'
          ? 'is not writable for you'
          : 'takes no directories';
    return usage(
      `${name} cannot be ${nearest === home ? 'written' : 'made'}: ${nearest} ${why}.`,
      'Let CADRE_HOME name a directory that you can write.',
    );
  }
}

/** Where files are no files, as in /proc, only trying tells. A full disk is reported by whoever needs the space. */
function tryToMake(directory: string): void {
  try {
    rmdirSync(mkdtempSync(join(directory, '.cadre-')));
  } catch (error) {
    if (getErrorCode(error) !== 'ENOSPC' && getErrorCode(error) !== 'EDQUOT') throw error;
  }
}

function nearestDirectory(path: string): string {
  const above = dirname(path);
  return above === path || statQuietly(path) ? path : nearestDirectory(above);
}

function statQuietly(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Reported by whoever needs it.
    return undefined;
  }
}

function definedOnly(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** A bare name would be looked up along a path that may lead into the repository. */
function findShell({ SHELL }: Readonly<Record<string, string>>): string {
  return SHELL && isAbsolute(SHELL) ? SHELL : loginShell();
}

function loginShell(): string {
  try {
    return userInfo().shell || '/bin/sh';
  } catch {
    return '/bin/sh';
  }
}

/** Where settings are looked for. */
export function settingsPlaces({ home, userHome, cwd, root, mainRoot }: Surroundings) {
  return { home, userHome, cwd, root, mainRoot };
}

/** Tools of the program's own that rules may name. Those of its features are known once these are open. */
export function listOtherTools({ ownTools = [], features = [] }: SessionOptions): OtherTools {
  return features.length > 0 ? 'unnamed' : ownTools.map(({ name }) => name);
}

/** What a program can get wrong without its compiler noticing, or from input of its own. */
export function checkOptions(options: SessionOptions, { cwd }: Surroundings): Result<void> {
  const { permissionMode: mode, maxTurns } = options;
  if (mode !== undefined && !permissionModes.includes(mode))
    return usage(`There is no permission mode "${mode}".`, `Choose one of ${permissionModes.join(', ')}.`);
  if (maxTurns !== undefined && (!Number.isSafeInteger(maxTurns) || maxTurns < 1))
    return usage(`maxTurns is ${maxTurns}: expected a whole number from 1.`);
  if (!isDirectory(cwd)) return usage(`${cwd} is not a directory.`, 'Name one that exists.');
  const missing = options.additionalDirectories?.find((path) => !isDirectory(resolve(cwd, path)));
  return missing === undefined
    ? ok(undefined)
    : usage(`--add-dir ${missing} is not a directory.`, 'Name one that exists.');
}

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * What the session must not show from its first text on: stored provider keys, and the variables that commands do not
 * get. What a login shell adds to these is learnt when it is asked, before the first command runs.
 */
export function learnSecrets({ environment, home, secrets }: Surroundings, settings: LoadedSettings): void {
  const stored = openKeyStore(home).readKeys();
  // Keys that cannot be read are reported by whoever needs one.
  const keys = Object.entries(stored.ok ? stored.value : {});
  secrets.add(keys.map(([provider, value]) => ({ name: `${provider} key`, value })));
  secrets.add(pickEnvironment({ ...environment, ...settings.env }, allowedVariables(settings)).secrets);
}

/** What settings set they set for commands; what they allow comes from the environment. */
export function allowedVariables({ env, environment }: LoadedSettings): string[] {
  return [...Object.keys(env).filter((name) => !isForUs(name)), ...environment.allow];
}
