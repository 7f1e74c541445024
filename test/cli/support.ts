import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../scripts/run.ts';
import type { FakeProvider } from '../../src/testing/index.ts';
import { nobody, temporaryDirectory } from '../support/index.ts';

const repository = join(import.meta.dirname, '..', '..');

/** The compiled program, built here when it is missing or older than its source. */
export const program = await findProgram();

/** Where one user works: three private directories that know nothing of the person who runs the tests. */
export interface Place {
  /** The directory that the program is started in. */
  cwd: string;
  /** `CADRE_HOME`; made by the program. */
  home: string;
  userHome: string;
}

export function newPlace(parent?: string): Place {
  const { path } = temporaryDirectory(parent);
  const place = { cwd: join(path, 'work'), home: join(path, 'state'), userHome: join(path, 'user') };
  mkdirSync(place.cwd);
  mkdirSync(place.userHome);
  return place;
}

/** Arguments for tests about what happens to a command's processes and files where nothing confines it. */
export const unconfined = ['--settings', '{"sandbox":{"enabled":false}}'];

export interface RunOptions {
  place: Place;
  provider?: FakeProvider;
  /** On top of what every run has; undefined takes a variable away. */
  env?: Record<string, string | undefined>;
  /** Standard input; none unless given. `pipe` leaves it open for the test to write to. */
  input?: string | Uint8Array | 'pipe';
  /** What is started instead of the program itself; it gets the program and its arguments. */
  under?: string[];
  program?: string;
}

export interface Ended {
  code: number | null;
  signal: string | null;
  out: string;
  err: string;
}

export interface Running {
  pid: number;
  child: ReturnType<typeof spawn>;
  ended: Promise<Ended>;
}

/** Runs the program to its end. */
export function cadre(args: readonly string[], options: RunOptions): Promise<Ended> {
  return start(args, options).ended;
}

export function start(args: readonly string[], options: RunOptions): Running {
  const [file = '', ...rest] = [...(options.under ?? []), options.program ?? program, ...args];
  const child = spawn(file, rest, {
    cwd: options.place.cwd,
    env: environmentOf(options),
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk;
  });
  // A program that refuses its input does not read it to the end.
  child.stdin?.on('error', () => {});
  if (options.input !== 'pipe') child.stdin?.end(options.input);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, out, err }));
  });
  return { pid: child.pid ?? 0, child, ended };
}

/** Nothing is inherited, keys least of all. */
export function environmentOf({ place, provider, env }: RunOptions): Record<string, string> {
  const all: Record<string, string | undefined> = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: place.userHome,
    CADRE_HOME: place.home,
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    ...(provider ? { ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'a-test-key' } : {}),
    ...env,
  };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Runs as somebody without rights: root may do everything. Give the place to that user first. */
export const asNobody =
  process.getuid?.() === 0
    ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--']
    : [];

export { until } from '../support/index.ts';

/** Every file and directory below a path, with its permission bits in octal. */
export function modesBelow(path: string): Record<string, string> {
  const names = existsSync(path) ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : [];
  return Object.fromEntries(
    ['.', ...names].map((name) => [name, (statSync(join(path, name)).mode & 0o7777).toString(8)]),
  );
}

async function findProgram(): Promise<string> {
  const path = join(repository, 'dist', 'cadre');
  if (!existsSync(path) || statSync(path).mtimeMs < newestSource()) {
    await run([process.execPath, join(repository, 'scripts', 'build.ts')], repository);
    chmodSync(path, 0o755);
  }
  return path;
}

function newestSource(): number {
  const source = join(repository, 'src');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((name) => statSync(join(source, name)).mtimeMs));
}
