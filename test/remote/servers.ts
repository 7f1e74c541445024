import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { nobody } from '../support/unprivileged.ts';

/** A real server of an engine, which a test kills and starts again with its data. */
export interface EngineServer {
  readonly url: string;
  /** The file of its own certificate. */
  readonly certificate?: string;
  start(): Promise<void>;
  /** `kill -9`, or what comes closest for a server of several processes. */
  kill(): Promise<void>;
}

export const hasRedis = () => findProgram('redis-server') !== undefined;
export const hasPostgres = () => findPostgres('postgres') !== undefined;

export async function redisServer(directory: string): Promise<EngineServer> {
  const port = await findPort();
  return runServer(`redis://127.0.0.1:${port}`, port, 'SIGKILL', () =>
    startRedis(directory, ['--port', `${port}`]),
  );
}

/** One that is only reached encrypted. */
export async function secureRedisServer(directory: string): Promise<EngineServer> {
  const port = await findPort();
  const { file, key } = makeCertificate(directory);
  const secure = ['--port', '0', '--tls-port', `${port}`, '--tls-cert-file', file, '--tls-key-file', key];
  return runServer(`rediss://127.0.0.1:${port}`, port, 'SIGKILL', () =>
    startRedis(directory, [...secure, '--tls-ca-cert-file', file, '--tls-auth-clients', 'no']),
  );
}

function startRedis(directory: string, listening: string[]): ChildProcess {
  const kept = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
  const args = ['--bind', '127.0.0.1', '--dir', directory, ...listening, ...kept];
  return spawn('redis-server', args, { stdio: 'ignore' });
}

export async function postgresServer(directory: string): Promise<EngineServer> {
  const port = await findPort();
  const data = join(directory, 'data');
  mkdirSync(data, { mode: 0o700 });
  const run = dropRights(directory, data);
  const certificate = makeCertificate(directory);
  const made = spawnSync(
    ...run(findPostgres('initdb') ?? 'initdb', ['-D', data, '-A', 'trust', '-U', 'cadre', '-N']),
    {
      cwd: directory,
    },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const args = ['-D', data, '-p', `${port}`, '-k', directory, '-h', '127.0.0.1', ...certificate.args];
  // SIGQUIT is an immediate stop: nothing is written any more, and the next start recovers.
  const server = runServer(`postgres://cadre@127.0.0.1:${port}/postgres`, port, 'SIGQUIT', () =>
    spawn(...run(findPostgres('postgres') ?? 'postgres', args), { stdio: 'ignore', cwd: directory }),
  );
  return { ...server, certificate: certificate.file };
}

function makeCertificate(directory: string) {
  const file = join(directory, 'server.crt');
  const key = join(directory, 'server.key');
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  const made = spawnSync('openssl', [...kind, ...subject, '-keyout', key, '-out', file]);
  if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`);
  if (process.getuid?.() === 0) for (const path of [file, key]) chownSync(path, nobody, nobody);
  return {
    file,
    key,
    args: ['-c', 'ssl=on', '-c', `ssl_cert_file=${file}`, '-c', `ssl_key_file=${key}`],
  };
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
function findPostgres(program: string): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  return findProgram(program, ...versions.map((version) => join(debian, version, 'bin')));
}

function findProgram(program: string, ...more: string[]): string | undefined {
  const places = [...(process.env.PATH ?? '').split(delimiter), ...more];
  return places.map((place) => join(place, program)).find((path) => existsSync(path));
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
