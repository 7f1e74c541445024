import { expect, test } from 'bun:test';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { needsPostgres, needsRedis } from '../remote/needs-servers.ts';
import { type EngineServer, postgresServer, redisServer } from '../remote/servers.ts';
import { waitFor } from '../remote/worker-ground.ts';
import { temporaryDirectory } from '../support/index.ts';
import { program } from './support.ts';

const examples = join(import.meta.dir, '../../examples/fleet');

needsRedis(
  'RM1 G3 on Redis a fleet of three runs a remote agent, whose submitter is killed and continues with its result',
  async () => runFleet(await redisServer(temporaryDirectory().path), killAndContinue),
  120_000,
);

needsPostgres(
  'RM1 on PostgreSQL a fleet of three runs a remote agent, and cadre -p waits for its result',
  async () => runFleet(await postgresServer(temporaryDirectory().path), waitForResult),
  120_000,
);

interface Scene {
  ground: string;
  environment: Record<string, string>;
  cwd: string;
}

async function runFleet(server: EngineServer, act: (scene: Scene) => Promise<void>): Promise<void> {
  const ground = temporaryDirectory().path;
  await server.start();
  await using provider = await fakeProvider({
    script: ({ messages }) => answer(JSON.stringify(messages), ground),
  });
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: join(ground, 'user'),
    CADRE_HOME: join(ground, 'home'),
    CADRE: program,
    CADRE_ENGINE: server.url,
    CADRE_WORKER_FLAGS: '--no-sandbox',
    ANTHROPIC_BASE_URL: provider.url,
    ANTHROPIC_API_KEY: 'a-test-key',
    ANTHROPIC_MODEL: 'anthropic/claude-sample',
  };
  const cwd = join(ground, 'work');
  for (const path of [environment.HOME, cwd]) mkdirSync(path, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd });
  git('init', '-q', '-b', 'main');
  writeFileSync(join(cwd, 'a.txt'), 'one\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  const fleet = spawn('sh', [join(examples, 'fleet.sh'), join(ground, 'fleet')], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  fleet.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const ended = new Promise((resolve) => fleet.once('close', resolve));
  try {
    await waitFor(() => (said.match(/Worker fleet-\d at/g) ?? []).length === 3 || undefined);
    await act({ ground, environment, cwd });
  } finally {
    fleet.kill('SIGTERM');
    await ended;
    await server.kill();
  }
  expect((said.match(/All jobs are given back/g) ?? []).length).toBe(3);
}

/** The main agent here, the other one on a worker. */
function answer(said: string, ground: string) {
  if (said.includes('Start an agent.'))
    return said.includes('Written far away.')
      ? say('I have its result.')
      : said.includes('tool_result')
        ? say('It runs.')
        : call('Agent', { description: 'Write it', prompt: 'Write b.txt.', isolation: 'remote' });
  if (!said.includes('Created')) return call('Write', { file_path: 'b.txt', content: 'two\n' });
  if (said.includes('Waited')) return say('Written far away.');
  writeFileSync(join(ground, 'working'), '');
  return call('Bash', {
    command: `for i in $(seq 300); do [ -e ${join(ground, 'go')} ] && break; sleep 0.1; done; echo Waited`,
  });
}

const flags = ['-p', '--permission-mode', 'bypassPermissions'];

function begin({ environment, cwd }: Scene, args: string[]) {
  const child: ChildProcess = spawn(program, args, {
    cwd,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  let err = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk;
  });
  return {
    child,
    ended: new Promise<number | null>((resolve) => child.once('close', resolve)),
    out: () => out,
    err: () => err,
  };
}

async function waitForResult(scene: Scene): Promise<void> {
  writeFileSync(join(scene.ground, 'go'), '');
  const run = begin(scene, [...flags, 'Start an agent.']);
  expect({ code: await run.ended, err: run.err() }).toMatchObject({ code: 0 });
  expect(run.out()).toContain('I have its result.');
  checkWorktree(scene);
}

async function killAndContinue(scene: Scene): Promise<void> {
  const run = begin(scene, [...flags, 'Start an agent.']);
  await waitFor(() => existsSync(join(scene.ground, 'working')) || undefined);
  run.child.kill('SIGKILL');
  await run.ended;
  writeFileSync(join(scene.ground, 'go'), '');
  const again = begin(scene, ['-p', '-c', 'And now?']);
  expect({ code: await again.ended, err: again.err() }).toMatchObject({ code: 0 });
  expect(again.out()).toContain('I have its result.');
  checkWorktree(scene);
}

function checkWorktree({ environment, cwd }: Scene): void {
  const listed = spawnSync(program, ['worktree', 'list'], { cwd, env: environment, encoding: 'utf8' });
  expect(listed.stdout).toContain('write-it');
}

test('the compose file is a fleet of three workers on one engine', () => {
  const file = parse(readFileSync(join(examples, 'compose.yaml'), 'utf8'), { merge: true });
  const workers = Object.keys(file.services).filter((name) => name.startsWith('worker-'));
  expect(workers).toEqual(['worker-1', 'worker-2', 'worker-3']);
  const volumes = workers.flatMap((name) => file.services[name].volumes as string[]);
  for (const volume of volumes) expect(Object.keys(file.volumes)).toContain(volume.split(':')[0] ?? '');
  for (const service of Object.values<{ depends_on?: object }>(file.services))
    for (const name of Object.keys(service.depends_on ?? {})) expect(file.services).toHaveProperty(name);
  for (const name of workers)
    expect(file.services[name].environment.CADRE_ENGINE).toContain('@postgres:5432/');
});
