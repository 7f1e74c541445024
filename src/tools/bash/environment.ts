import { delimiter } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { Fifos } from '../../lib/files/fifo.ts';
import { randomIds } from '../../lib/ids.ts';
import { ownerVariable, spawnOwned } from '../../lib/processes/process.ts';
import type { Secrets } from '../../lib/secrets/secrets.ts';
import { findDialect } from '../../lib/shell-dialect.ts';
import { withJudgedLocale } from '../../lib/text/locales.ts';
import type { ShellSandbox } from '../../protocol/sandbox.ts';
import type { ShellEnvironment } from '../../protocol/tool.ts';
import { settingsTable } from '../../settings/table/settings.ts';
import { findProgram, pathOutside } from '../../workspace/search-path.ts';
import { pickEnvironment } from './pick-environment.ts';

export interface CaptureOptions {
  /** The user's login shell, asked once for its environment; without one, `env` is used as it is. */
  shell: string | undefined;
  home: string;
  /** Directories of the workspace: none of their programs is found by a bare name. */
  places: readonly string[];
  env: Record<string, string>;
  /** Extra variables for commands, besides the default ones. */
  allow?: readonly string[];
  /** Receives the withheld values, since they must not be shown either. */
  secrets?: Secrets;
  clock: Clock;
  /** The mark of this session, by which all its processes are found. */
  owner: string;
  maxOutputCharacters?: number;
  sandbox?: ShellSandbox;
  /** Where pipes are made. */
  fifoDirectory(): string;
  /** Receives the search path of commands, once the login shell has answered. */
  foundPath?(path: string): void;
  timeoutMs?: number;
}

export interface CapturedEnvironment extends ShellEnvironment {
  /** Starts the login shell and makes a pipe, so that both are ready for the first command. */
  warm(): void;
}

const defaultTimeoutMs = 5000;

/** Asks the login shell at most once, when warmed or first needed. A shell that fails or hangs changes nothing. */
export function captureEnvironment(options: CaptureOptions): CapturedEnvironment {
  let captured: Promise<Record<string, string>> | undefined;
  const fifos = new Fifos(options.fifoDirectory);
  let shell: string | undefined;
  const environment = () => {
    captured ??= askLoginShell(options).then((found) => {
      const env = joinEnvironments(found ?? {}, options);
      options.foundPath?.(env.PATH ?? '');
      return forCommands(env, options);
    });
    return captured;
  };
  return {
    // Not before it is needed: it reads every directory of the search path.
    get shell() {
      shell ??= findShell(pathOutside(options.env.PATH ?? '', options.places, options.home));
      return shell;
    },
    maxOutputCharacters: options.maxOutputCharacters ?? settingsTable.bashOutputMaxChars.usual,
    fifos,
    ...(options.sandbox ? { sandbox: options.sandbox } : {}),
    environment,
    warm() {
      if (captured) return;
      void environment();
      fifos.prepare();
    },
  };
}

async function askLoginShell(options: CaptureOptions): Promise<Record<string, string> | undefined> {
  if (!options.shell || !asksLoginShell(options)) return undefined;
  // Startup files may print; the result comes after the mark.
  const mark = randomIds.token(24);
  const pieces: Uint8Array[] = [];
  const end = await spawnOwned({
    file: options.shell,
    args: ['-l', '-c', `printf '\\0%s\\0' ${mark}; exec env -0`],
    // Never the repository: startup files and version managers act on the directory they are in.
    cwd: options.home,
    env: options.env,
    owner: options.owner,
    clock: options.clock,
    output: (chunk) => pieces.push(chunk),
    errorOutput: () => {},
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    graceMs: 200,
  }).ended;
  if (end.code !== 0) return undefined;
  return parseEnvironment(Buffer.concat(pieces).toString('utf8'), mark);
}

interface LoginShell {
  readonly shell: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Started from a shell, we already have its environment, with the user's changes since. */
export function asksLoginShell({ shell, env }: LoginShell): boolean {
  return shell !== undefined && shell !== '' && !(Number(env.SHLVL) >= 1);
}

/** Our own environment wins; the login shell adds missing variables, and directories to the path. */
function joinEnvironments(
  found: Record<string, string>,
  { env: given, places, home }: CaptureOptions,
): Record<string, string> {
  const paths = [given.PATH, found.PATH].flatMap((path) => path?.split(delimiter) ?? []);
  const joined = [...new Set(paths)].join(delimiter);
  return { ...found, ...given, PATH: pathOutside(joined, places, home) };
}

function parseEnvironment(output: string, mark: string): Record<string, string> | undefined {
  const start = output.indexOf(`\0${mark}\0`);
  if (start === -1) return undefined;
  const lines = output.slice(start + mark.length + 2).split('\0');
  const pairs = lines.flatMap((line): [string, string][] => {
    const equals = line.indexOf('=');
    return equals > 0 ? [[line.slice(0, equals), line.slice(equals + 1)]] : [];
  });
  return pairs.some(([name]) => name === 'PATH') ? Object.fromEntries(pairs) : undefined;
}

/** Nothing may page, colour, ask at a terminal or open an editor: there is no user to respond. */
const forced = {
  CADRE: '1',
  CLAUDECODE: '1',
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
};

function forCommands(
  env: Record<string, string>,
  { allow, secrets, owner }: CaptureOptions,
): Record<string, string> {
  const picked = pickEnvironment(env, allow);
  secrets?.add(picked.secrets);
  return { ...withJudgedLocale(picked.variables), ...forced, [ownerVariable]: owner };
}

/** The shell language of commands here, if it is not bash's. */
export function shellDialect(path: string): { dialect?: 'sh' } {
  return findDialect(findShell(path)) === 'bash' ? {} : { dialect: 'sh' };
}

/** Bash if available, the system's first. */
function findShell(path: string): string {
  return findProgram('bash', ['/bin', '/usr/bin', path].join(delimiter)) ?? '/bin/sh';
}
