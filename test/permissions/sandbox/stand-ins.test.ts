import { expect } from 'bun:test';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { guardOwner } from '../../../src/lib/processes/owner-rights.ts';
import { ownerVariable } from '../../../src/lib/processes/process.ts';
import { failure } from '../../../src/lib/result.ts';
import type { ConfinementScope } from '../../../src/protocol/sandbox.ts';
import { recoverConfined } from '../../../src/sandbox/guard/recover.ts';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { begin, type Room, roomIn, run } from './support.ts';

const test = needs('bwrap');

/** A second user of the same workspace, with a home of its own. */
function roomBeside(at: Room): Room {
  return { ...roomIn(temporaryDirectory().path), cwd: at.cwd };
}

const newRoom = () => roomIn(temporaryDirectory().path);
const standIns = ({ cwd }: Room) => readdirSync(cwd).filter((name) => name.startsWith('.c'));
const tryToMake =
  'mkdir -p .claude .cadre; echo x > .claude/settings.json; echo x > .cadre/settings.json; ls -A';

/** Another process with a command of its own: it can be killed, or told to end the command. */
async function startElsewhere(at: Room, path: string): Promise<ChildProcess> {
  const program = `
    import { begin, roomIn } from ${JSON.stringify(join(import.meta.dirname, 'support.ts'))};
    const at = { ...roomIn(${JSON.stringify(path)}), cwd: ${JSON.stringify(at.cwd)} };
    const running = await begin(at, 'sleep 600');
    console.log('started');
    process.stdin.resume().once('end', async () => {
      await running.end();
      process.exit();
    });`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return child;
}

const isGone = (child: ChildProcess) => new Promise((resolve) => child.once('exit', resolve));

function killHard(child: ChildProcess): Promise<unknown> {
  const gone = isGone(child);
  child.kill('SIGKILL');
  return gone;
}

function endCommand(child: ChildProcess): Promise<unknown> {
  const gone = isGone(child);
  child.stdin?.end();
  return gone;
}

test('a stand-in stays for a command of another home when the one who made it ends', async () => {
  const first = newRoom();
  const making = await startElsewhere(first, temporaryDirectory().path);
  const relying = await begin(
    first,
    `until [ -e go ]; do sleep 0.02; done; ${tryToMake} > seen 2>&1; sleep 600`,
  );
  await endCommand(making);
  expect(standIns(first).toSorted()).toEqual(['.cadre', '.claude']);
  writeFileSync(join(first.cwd, 'go'), '');
  while (!existsSync(join(first.cwd, 'seen'))) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(existsSync(join(first.cwd, '.claude/settings.json'))).toBe(false);
  expect(await relying.end()).toEqual([]);
  expect(standIns(first)).toEqual([]);
});

test('a third session that clears up behind a killed one leaves what a living command relies on', async () => {
  const first = newRoom();
  const path = temporaryDirectory().path;
  const killed = await startElsewhere(first, path);
  const relying = await begin(roomBeside(first), 'sleep 600');
  await killHard(killed);
  recoverConfined(join(path, 'user/.cadre'));
  await run(roomBeside(first), 'echo b >> f');
  expect(standIns(first).toSorted()).toEqual(['.cadre', '.claude']);
  expect(await relying.end()).toEqual([]);
  expect(standIns(first)).toEqual([]);
});

test('the mark of a killed process does not keep a stand-in, though nobody clears up in its home', async () => {
  const first = newRoom();
  const killed = await startElsewhere(first, temporaryDirectory().path);
  await killHard(killed);
  expect(standIns(first)).not.toEqual([]);
  await run(first, 'true');
  expect(standIns(first)).toEqual([]);
});

test('a session in a directory below keeps its stand-ins while a command above it ends', async () => {
  const above = newRoom();
  const sub = join(above.cwd, 'sub');
  mkdirSync(sub);
  const running = await begin(above, 'sleep 600');
  const below = await begin({ ...roomBeside(above), cwd: sub }, 'sleep 600');
  expect(await running.end()).toEqual([]);
  expect(readdirSync(sub).toSorted()).toEqual(['.cadre', '.claude']);
  expect(await below.end()).toEqual([]);
  expect(readdirSync(sub)).toEqual([]);
});

test('what a command makes of such a directory elsewhere is taken away, whatever marks it bears', async () => {
  const at = newRoom();
  mkdirSync(join(at.cwd, 'pkg'));
  const running = await begin(at, 'sleep 600');
  const [mark = ''] = readdirSync(join(at.cwd, '.cadre'));
  await running.end();
  const { notes } = await run(at, `mkdir -p pkg/.cadre/${mark}; echo x > pkg/.cadre/settings.json`);
  expect(notes.join()).toContain('pkg/.cadre');
  expect(existsSync(join(at.cwd, 'pkg/.cadre'))).toBe(false);
});

test('an empty directory of the user stays, and so does what the user puts into a stand-in', async () => {
  const at = newRoom();
  mkdirSync(join(at.cwd, '.claude'));
  // One that is just being made is taken for a stand-in of another process.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const running = await begin(at, 'sleep 600');
  writeFileSync(join(at.cwd, '.cadre/settings.json'), '{}');
  expect(await running.end()).toEqual([]);
  expect(readdirSync(join(at.cwd, '.cadre'))).toEqual(['settings.json']);
  rmdirSync(join(at.cwd, '.claude'));
});

test('git does not list a stand-in with its marks, inside or outside', async () => {
  const at = newRoom();
  execFileSync('git', ['init', '-q'], { cwd: at.cwd });
  const running = await begin(at, 'sleep 600');
  const status = ['status', '--porcelain', '--ignored', '--untracked-files=all'];
  expect(execFileSync('git', status, { cwd: at.cwd, encoding: 'utf8' })).toBe('');
  expect((await run(at, 'git status --porcelain')).text).toBe('');
  await running.end();
});

test('what was made for a command that had not started when its process was killed is removed', async () => {
  const path = temporaryDirectory().path;
  const at = roomIn(path);
  execFileSync('git', ['init', '-q', at.cwd]);
  const before = readdirSync(join(at.cwd, '.git')).toSorted();
  const program = `
    import { roomIn } from ${JSON.stringify(join(import.meta.dirname, 'support.ts'))};
    const { sandbox, cwd } = roomIn(${JSON.stringify(path)});
    const launch = { file: '/bin/bash', args: ['-c', 'true'], cwd, env: {}, canWait: true };
    const made = await sandbox.confine(launch, { writes: 'workspace', directories: [cwd], rules: [] });
    console.log(made.ok && made.value.begin ? 'made' : 'begun');
    process.stdin.resume().once('end', () => process.exit());`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const said = await new Promise((resolve) => child.stdout?.once('data', resolve));
  expect(String(said)).toBe('made\n');
  await killHard(child);
  expect(standIns(at).toSorted()).toEqual(['.cadre', '.claude']);
  recoverConfined(at.home);
  expect(standIns(at)).toEqual([]);
  expect(readdirSync(join(at.cwd, '.git')).toSorted()).toEqual(before);
  expect(readdirSync(join(at.home, 'confined'))).toEqual([]);
});

test('a command of another container is left alone as long as its record is kept up to date', async () => {
  const at = newRoom();
  const running = await begin(at, 'sleep 600');
  const folder = join(at.home, 'confined');
  const name = readdirSync(folder).find((one) => one.endsWith('.json')) ?? '';
  const elsewhere = join(folder, name.replace(/~[0-9a-f]{6}/, '~000000'));
  const record = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  writeFileSync(elsewhere, JSON.stringify({ ...record, owner: { pid: 999_999_999, start: '1' } }));
  recoverConfined(at.home);
  expect(existsSync(elsewhere)).toBe(true);
  const before = Date.now() / 1000 - 60;
  utimesSync(elsewhere, before, before);
  recoverConfined(at.home);
  expect(existsSync(elsewhere)).toBe(false);
  await running.end();
});

test('SE1 for a session that was taken over nothing is made, and no command is confined', async () => {
  const at = newRoom();
  const env = { PATH: process.env.PATH ?? '', [ownerVariable]: 'passed-session' };
  guardOwner('passed-session', () => failure('it was taken over'));
  const launch = { file: '/bin/true', args: [], cwd: at.cwd, env };
  const scope: ConfinementScope = { writes: 'workspace', directories: [at.cwd], rules: [] };
  expect(await at.sandbox.confine(launch, scope)).toMatchObject({
    ok: false,
    problem: { message: 'it was taken over' },
  });
  expect([existsSync(at.directory), ...standIns(at)]).toEqual([false]);
});
