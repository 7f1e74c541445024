import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { nobody } from '../support/index.ts';

/** A real server of an engine, which a test kills and starts again with its data. */
export interface EngineServer {
  readonly url: string;
  start(): Promise<void>;
  /** `kill -9`, or what comes closest for a server of several processes. */
  kill(): Promise<void>;
}

export async function redisServer(directory: string): Promise<EngineServer> {
  const port = await findPort();
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory];
  const kept = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
  return runServer(`redis://127.0.0.1:${port}`, port, 'SIGKILL', () =>
    spawn('redis-server', [...args, ...kept], { stdio: 'ignore' }),
  );
}

export async function postgresServer(directory: string): Promise<EngineServer> {
  const port = await findPort();
  const data = join(directory, 'data');
  mkdirSync(data, { mode: 0o700 });
  const run = dropRights(directory, data);
  const made = spawnSync(...run(findPostgres('initdb'), ['-D', data, '-A', 'trust', '-U', 'cadre', '-N']), {
    cwd: directory,
  });
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const args = ['-D', data, '-p', `${port}`, '-k', directory, '-h', '127.0.0.1'];
  // SIGQUIT is an immediate stop: nothing is written any more, and the next start recovers.
  return runServer(`postgres://cadre@127.0.0.1:${port}/postgres`, port, 'SIGQUIT', () =>
    spawn(...run(findPostgres('postgres'), args), { stdio: 'ignore', cwd: directory }),
  );
}

/** PostgreSQL refuses to run as root. */
function dropRights(...owned: string[]) {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of owned) chownSync(path, nobody, nobody);
  const dropped = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  return (program: string, args: string[]): [string, string[]] =>
    isRoot ? ['setpriv', [...dropped, program, ...args]] : [program, args];
}

/** Debian keeps them out of the search path. */
export function findPostgres(program: string): string {
  const debian = '/usr/lib/postgresql';
  const places = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...(existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, 'bin')) : []),
  ];
  return places.map((place) => join(place, program)).find((path) => existsSync(path)) ?? program;
}

function runServer(
  url: string,
  port: number,
  signal: NodeJS.Signals,
  launch: () => ChildProcess,
): EngineServer {
  let child: ChildProcess | undefined;
  return {
    url,
    async start() {
      child = launch();
      while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    async kill() {
      const ended = child;
      child = undefined;
      if (!ended || ended.exitCode !== null) return;
      const gone = new Promise((resolve) => ended.once('exit', resolve));
      ended.kill(signal);
      await gone;
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.end(() => resolve(true)));
    socket.once('error', () => resolve(false));
  });
}

function findPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
