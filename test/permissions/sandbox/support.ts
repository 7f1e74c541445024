import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../../src/lib/clock.ts';
import { Fifos, pipeDirectory } from '../../../src/lib/files/fifo.ts';
import type { ConfinementScope } from '../../../src/protocol/sandbox.ts';
import { chooseSandbox } from '../../../src/sandbox/choose.ts';
import { type OpenedSandbox, openSandbox } from '../../../src/sandbox/open.ts';
import type { SandboxSettings } from '../../../src/settings/loaded.ts';
import { noSettings } from '../../../src/settings/merge.ts';
import { startShell } from '../../../src/tools/bash/process.ts';
import { startPlainly } from '../../../src/workspace/git/filter-start.ts';
import { temporaryDirectory } from '../../support/index.ts';

/** A workspace, a user with a home, and a sandbox of one session. */
export interface Room {
  cwd: string;
  userHome: string;
  home: string;
  /** The session's own files of the sandbox. */
  directory: string;
  sandbox: OpenedSandbox;
  notices: string[];
}

export function room(
  settings?: Partial<SandboxSettings>,
  environment?: Record<string, string>,
  commands?: readonly string[],
): Room {
  return roomIn(temporaryDirectory().path, settings, environment, commands);
}

export function roomIn(
  path: string,
  settings: Partial<SandboxSettings> = {},
  environment: Record<string, string> = {},
  commands: readonly string[] = [],
): Room {
  const userHome = join(path, 'user');
  const home = join(userHome, '.cadre');
  const directory = join(home, 'session', 'sandbox');
  const notices: string[] = [];
  for (const one of [join(path, 'work'), home, join(home, 'pipes')]) mkdirSync(one, { recursive: true });
  const all = { ...noSettings().sandbox, ...settings };
  const sandbox = openSandbox({
    ...{ settings: all, home, userHome, directory },
    ...{ environment: { HOME: userHome, ...environment }, isRoot: process.getuid?.() === 0 },
    given: () => [join(home, 'session', 'tool-results')],
    commands: () => commands.map((command) => ({ command, by: 'settings' })),
    notify: (text) => notices.push(text),
    choose: () => chooseSandbox({ settings: all, platform: 'linux', arch: process.arch, directory }),
  });
  return { cwd: join(path, 'work'), userHome, home, directory, sandbox, notices };
}

/** Files of the workspace. */
export function put(at: Room, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(at.cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** What was taken away, as it was called. */
export function held({ home }: Room): string[] {
  const top = join(home, 'taken');
  if (!existsSync(top)) return [];
  return readdirSync(top).flatMap((name) =>
    Object.values(JSON.parse(readFileSync(join(top, name, 'where.json'), 'utf8'))),
  ) as string[];
}

export interface Ran {
  code: number | null;
  text: string;
  /** What the model would be told beside the output. */
  notes: string[];
}

/** Runs a command as the Bash tool does. */
export async function run(
  { cwd, userHome, home, sandbox }: Room,
  command: string,
  more: { in?: string; scope?: Partial<ConfinementScope>; scratch?: string } = {},
): Promise<Ran> {
  const fifos = new Fifos(() => pipeDirectory(home));
  const pieces: Uint8Array[] = [];
  const scope: ConfinementScope = { writes: 'workspace', directories: [cwd], rules: [], ...more.scope };
  const running = await startShell({
    ...{ command, cwd: more.in ?? cwd, shell: '/bin/bash', fifos, clock: systemClock },
    env: { PATH: process.env.PATH ?? '', HOME: userHome, LC_ALL: 'C' },
    confine: (launch) => sandbox.confine(launch, scope, more.scratch),
    output: (chunk) => pieces.push(chunk),
    signal: new AbortController().signal,
  });
  const end = await running.ended;
  if (end.problem !== undefined) throw new Error(end.problem);
  const text = Buffer.concat(pieces).toString('utf8');
  const notes = running.confined?.finish({ failed: end.code !== 0, output: text, code: end.code }) ?? [];
  await clearedUp();
  return { code: end.code, text, notes };
}

/** What is cleared up behind a command right after its result is given. */
export function clearedUp(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Commands of the system that the tests use to try what the sandbox must refuse. */
export const unixSocket = (path: string) =>
  `python3 -c "import socket; socket.socket(socket.AF_UNIX).connect('${path}'); print('connected')"`;

/** A command that runs until `end` is called. */
export async function begin(
  { cwd, userHome, home, sandbox }: Room,
  command: string,
  more: Partial<ConfinementScope> = {},
): Promise<{ offends(): boolean; end(): Promise<string[]>; ended: Promise<unknown>; text(): string }> {
  const over = new AbortController();
  const scope: ConfinementScope = { writes: 'workspace', directories: [cwd], rules: [], ...more };
  const pieces: Uint8Array[] = [];
  let started = () => {};
  const isStarted = new Promise<void>((resolve) => {
    started = resolve;
  });
  const running = await startShell({
    ...{ command: `echo started; ${command}`, cwd, shell: '/bin/bash', clock: systemClock },
    fifos: new Fifos(() => pipeDirectory(home)),
    env: { PATH: process.env.PATH ?? '', HOME: userHome, LC_ALL: 'C' },
    confine: (launch) => sandbox.confine(launch, scope),
    output(chunk) {
      pieces.push(chunk);
      started();
    },
    signal: over.signal,
  });
  await isStarted;
  return {
    ended: running.ended,
    text: () => Buffer.concat(pieces).toString('utf8'),
    offends: () => running.confined?.offends() ?? false,
    async end() {
      over.abort();
      await running.ended;
      const notes = running.confined?.finish({ failed: false, output: '' }) ?? [];
      await clearedUp();
      return notes;
    },
  };
}

/** As if the process that runs the only command were gone. */
export function pretendKilled({ home }: Room): void {
  const folder = join(home, 'confined');
  const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.json'));
  const journal = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  writeFileSync(
    join(folder, 'dead.json'),
    JSON.stringify({ ...journal, owner: { pid: 2 ** 22 + 1, start: '0' } }),
  );
  renameSync(join(folder, name), join(home, 'aside'));
}

/** Git as its user runs it, with a name; submodules may be directories. */
export function git(cwd: string, ...args: string[]): string {
  const own = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...own, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** For Cadre's own git beside a command in the room: filters run as they are. */
export const world = ({ home, userHome }: Room) => ({
  ...{ home, clock: systemClock, startFilters: startPlainly },
  env: { PATH: process.env.PATH ?? '', HOME: userHome },
});
