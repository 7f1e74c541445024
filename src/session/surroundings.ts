import { accessSync, constants, mkdirSync, rmdirSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type Clock, systemClock } from '../lib/clock.ts';
import { closeToOthers } from '../lib/files/private-home.ts';
import { type Ids, randomIds } from '../lib/ids.ts';
import { type Machine, systemMachine } from '../lib/machine.ts';
import { getErrorCode, ok, type Result, usage } from '../lib/result.ts';
import { Secrets } from '../lib/secrets/secrets.ts';
import { parseDuration } from '../lib/text/duration.ts';
import { isLossy } from '../lib/text/utf8.ts';
import { openKeyStore } from '../models/keys.ts';
import { permissionModes } from '../protocol/index.ts';
import type { OtherTools } from '../settings/known-tools.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { createLayout, type Layout } from '../store/layout.ts';
import { isForUs, pickEnvironment } from '../tools/bash/pick-environment.ts';
import { findMainRoot } from '../workspace/git/main-root.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { findRoot } from '../workspace/workspace.ts';
import type { SessionOptions } from './options.ts';

/** The one place that reads the process's state: from here on everything is passed as values. */
export interface Surroundings {
  cwd: string;
  /** The repository's top directory, or `cwd` outside a repository. */
  root: string;
  /** For a worktree, the top of the main checkout. */
  mainRoot: string;
  isRepository: boolean;
  userHome: string;
  /** Cadre's own state: `CADRE_HOME`, else `~/.cadre`. */
  home: string;
  layout: Layout;
  environment: Readonly<Record<string, string>>;
  /** Values that must not appear in text for a model, a file or a log; filled in when settings and keys are known. */
  secrets: Secrets;
  shell: string;
  /** The disk and the processes that sessions are kept and claimed on. */
  machine: Machine;
  clock: Clock;
  ids: Ids;
  /** Work that can wait until the session ends. */
  atEnd: (() => void)[];
  /** Real time and randomness, where a tape replaces those above. */
  outside: { clock: Clock; ids: Ids };
}

export function lookAround(
  options: Pick<SessionOptions, 'cwd' | 'environment' | 'clock' | 'ids' | 'machine'>,
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
    machine: options.machine ?? systemMachine,
    clock,
    ids,
    atEnd: [],
    outside: { clock, ids },
  };
}

/**
 * Without links, since paths that are mounted in a sandbox, or compared with those, have none. A relative CADRE_HOME is
 * resolved from the user's home, or it would depend on the directory we are started in.
 */
export function findHome(
  environment: Readonly<Record<string, string | undefined>>,
  userHome: string,
): string {
  const given = environment.CADRE_HOME || '.cadre';
  const path = isAbsolute(given) ? resolve(given) : resolve(userHome, given);
  const real = resolveRealPath(path);
  // A link that cannot be followed is reported where the path is needed.
  return real === '/' || isLossy(real) ? path : real;
}

/** The system takes paths of 4,095 bytes; what is kept there has names of its own below. */
const maxHomeBytes = 3_500;

/**
 * Checked before anything is spent: a session cannot be stored inside a file, and nobody else may decide what it does. A
 * missing directory is made later.
 */
export function checkHome(around: Pick<Surroundings, 'home' | 'environment'>): Result<void> {
  const usable = checkDirectory(around);
  return usable.ok ? closeToOthers(around.home) : usable;
}

function checkDirectory({ home, environment }: Pick<Surroundings, 'home' | 'environment'>): Result<void> {
  const { HOME: given, CADRE_HOME: own } = environment;
  // A relative one would make a repository's files the user's own, hooks and all.
  if (given && !isAbsolute(given))
    return usage(
      `HOME, ${JSON.stringify(given.slice(0, 100))}, is not a full path.`,
      'Set HOME to your home directory.',
    );
  const bytes = Buffer.byteLength(home);
  if (bytes > maxHomeBytes)
    return usage(
      `The path of ${own ? 'CADRE_HOME' : 'your home'} is too long: ${bytes} bytes, at most ${maxHomeBytes}.`,
      'Set CADRE_HOME to a directory with a shorter path.',
    );
  if (statQuietly(home)?.isDirectory() !== false) return ok(undefined);
  const name = environment.CADRE_HOME ? `CADRE_HOME, ${home},` : home;
  return usage(
    `${name} is a file, but Cadre needs a directory there for its sessions.`,
    'Move the file away.',
  );
}

/** Also needed for a session, or for a key to be stored. Checked before anything is sent to a model. */
export function checkWritableHome(around: Pick<Surroundings, 'home' | 'environment'>): Result<void> {
  const usable = checkDirectory(around);
  if (!usable.ok) return usable;
  const { home, environment } = around;
  const nearest = nearestDirectory(home);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
    tryToMake(nearest);
    return closeToOthers(home);
  } catch (error) {
    const name = environment.CADRE_HOME ? `CADRE_HOME, ${home},` : home;
    const isFile = statQuietly(nearest)?.isDirectory() === false;
    const why = isFile
      ? 'is a file'
      : getErrorCode(error) === 'EROFS'
        ? 'is on a read-only disk'
        : getErrorCode(error) === 'EACCES' || getErrorCode(error) === 'EPERM'
          ? 'is not writable'
          : 'does not allow new directories';
    return usage(
      `${name} cannot be ${nearest === home ? 'written' : 'created'}: ${nearest} ${why}.`,
      'Set CADRE_HOME to a directory that you can write to.',
    );
  }
}

/** On special file systems such as /proc only trying shows it. A full disk is reported where the space is needed. */
function tryToMake(directory: string): void {
  // Always the same name: what a killed process leaves is removed by the next start.
  const probe = join(directory, '.cadre-probe');
  try {
    mkdirSync(probe, { mode: 0o700 });
  } catch (error) {
    // EEXIST: of a process that tries the same right now, or was killed at it.
    if (!['ENOSPC', 'EDQUOT', 'EEXIST'].includes(getErrorCode(error) ?? '')) throw error;
  }
  try {
    rmdirSync(probe);
  } catch {
    // The other process removed it.
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
    // Reported where it is needed.
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

/** The program's own tools, which rules may name. Those of its features are known once these are open. */
export function listOtherTools({ ownTools = [], features = [] }: SessionOptions): OtherTools {
  return features.length > 0 ? 'unnamed' : ownTools.map(({ name }) => name);
}

/** Mistakes in a program's options that its compiler cannot catch, or that come from its input. */
export function checkOptions(options: SessionOptions, { cwd }: Surroundings): Result<void> {
  const { permissionMode: mode, maxTurns } = options;
  if (mode !== undefined && !permissionModes.includes(mode))
    return usage(`Unknown permission mode "${mode}".`, `Choose one of ${permissionModes.join(', ')}.`);
  if (maxTurns !== undefined && (!Number.isSafeInteger(maxTurns) || maxTurns < 1))
    return usage(`maxTurns is ${maxTurns}: expected a whole number of at least 1.`);
  if (options.wait !== undefined && parseDuration(options.wait) === undefined)
    return usage(`wait is "${options.wait}": expected a duration, such as 90s, 30m or 6h.`);
  if (!isDirectory(cwd))
    return usage(`${cwd} is not a directory.`, 'Give the path of an existing directory.');
  const missing = options.additionalDirectories?.find((path) => !isDirectory(resolve(cwd, path)));
  return missing === undefined
    ? ok(undefined)
    : usage(`--add-dir ${missing} is not a directory.`, 'Give the path of an existing directory.');
}

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Secrets that the session must not show, from its first text on: stored provider keys, and the variables that commands
 * do not get. Those that a login shell adds are read with it, before the first command runs.
 */
export function learnSecrets({ environment, home, secrets }: Surroundings, settings: LoadedSettings): void {
  const stored = openKeyStore(home).readKeys();
  // Unreadable keys are reported where one is needed.
  const keys = Object.entries(stored.ok ? stored.value : {});
  secrets.add(keys.map(([provider, value]) => ({ name: `${provider} key`, value })));
  secrets.add(pickEnvironment({ ...environment, ...settings.env }, allowedVariables(settings)).secrets);
  for (const address of [settings.remote.engine, environment.CADRE_ENGINE]) {
    const value = URL.parse(address ?? '')?.password;
    if (value) secrets.add([{ name: 'password of the engine', value }]);
  }
}

/** Variables in settings are for commands; which ones are allowed comes from the environment. */
export function allowedVariables({ env, environment }: LoadedSettings): string[] {
  return [...Object.keys(env).filter((name) => !isForUs(name)), ...environment.allow];
}
