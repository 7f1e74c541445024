import { expect } from 'bun:test';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/lib/clock.ts';
import { Fifos, pipeDirectory } from '../../../src/lib/fifo.ts';
import type { ProcessEnd } from '../../../src/lib/process.ts';
import { startShell } from '../../../src/tools/shell-process.ts';
import { needs } from '../../support/index.ts';
import { clearedUp, put, type Room, room } from './support.ts';

const test = needs('bwrap');

interface Started {
  end: ProcessEnd;
  text: string;
  notes: string[];
  /** How often it was planned. */
  plans: number;
}

/** Runs a command, with something that happens each time between its plan and its start. */
async function runDisturbed(
  { cwd, userHome, home, sandbox }: Room,
  command: string,
  disturb: (plans: number) => void,
  signal: AbortSignal = new AbortController().signal,
): Promise<Started> {
  const pieces: Uint8Array[] = [];
  let plans = 0;
  const running = await startShell({
    ...{ command, cwd, shell: '/bin/bash', fifos: new Fifos(() => pipeDirectory(home)), clock: systemClock },
    env: { PATH: process.env.PATH ?? '', HOME: userHome, LC_ALL: 'C' },
    async confine(launch) {
      const confined = await sandbox.confine(launch, { writes: 'workspace', directories: [cwd], rules: [] });
      disturb(++plans);
      return confined;
    },
    output: (chunk) => pieces.push(chunk),
    signal,
  });
  const end = await running.ended;
  const text = Buffer.concat(pieces).toString('utf8');
  const notes = running.confined?.finish({ failed: end.code !== 0, output: text }) ?? [];
  await clearedUp();
  return { end, text, notes, plans };
}

/** A workspace, and files of the user that the sandbox shows: each is a mount. */
function roomWithShown(): Room & { shown: [string, string] } {
  const at = room();
  const shown: [string, string] = [join(at.userHome, 'one.txt'), join(at.userHome, 'two.txt')];
  for (const path of shown) writeFileSync(path, '');
  return { ...at, shown };
}

const countRun = 'echo ran >> runs';
const runsIn = ({ cwd }: Room) => {
  const path = join(cwd, 'runs');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0;
};

test('a mounted path is removed between plan and start: the command is planned again and runs once', async () => {
  const at = roomWithShown();
  const ran = await runDisturbed(at, `${countRun}; echo said`, () => rmSync(at.shown[0], { force: true }));
  expect(ran).toMatchObject({ text: 'said\n', notes: [], plans: 2, end: { code: 0 } });
  expect(runsIn(at)).toBe(1);
  expect(existsSync(join(at.cwd, '.cadre'))).toBe(false);
});

test('the same for a protected path in the workspace, which is held by a descriptor', async () => {
  const at = room();
  put(at, { '.vscode/settings.json': '{}' });
  const gone = join(at.cwd, '.vscode');
  const ran = await runDisturbed(at, countRun, () => rmSync(gone, { recursive: true, force: true }));
  expect(ran).toMatchObject({ text: '', plans: 2, end: { code: 0 } });
  expect(runsIn(at)).toBe(1);
});

test('a sandbox that cannot be built twice is not tried a third time, and says why', async () => {
  const at = roomWithShown();
  const ran = await runDisturbed(at, countRun, (plans) => rmSync(at.shown[plans - 1] ?? ''));
  expect(ran).toMatchObject({ plans: 2, end: { code: 1 } });
  expect(ran.text).toMatch(/^bwrap: .*two\.txt: No such file or directory\n$/);
  expect(runsIn(at)).toBe(0);
});

test('a command that looks like a sandbox which could not be built runs once', async () => {
  const at = room();
  const line = "bwrap: Can't find source path /x: No such file or directory";
  const ran = await runDisturbed(at, `${countRun}; echo "${line}" >&2; exit 1`, () => {});
  expect(ran).toMatchObject({ text: `${line}\n`, plans: 1, end: { code: 1 } });
  expect(runsIn(at)).toBe(1);
});

test('one that is stopped before its sandbox is built is not started again', async () => {
  const at = roomWithShown();
  const over = new AbortController();
  const ran = await runDisturbed(
    at,
    countRun,
    () => {
      rmSync(at.shown[0], { force: true });
      over.abort();
    },
    over.signal,
  );
  expect(ran).toMatchObject({ plans: 1, end: { killed: true } });
  expect(runsIn(at)).toBe(0);
});

test('no process inside has the pipe at which the command was held back', async () => {
  const at = room();
  const { text } = await runDisturbed(at, 'readlink /proc/1/fd/* /proc/$$/fd/*', () => {});
  const pipes = new Set(text.match(/^(?:pipe:|.*fifo).*$/gm));
  // The one to which they all write.
  expect(pipes.size).toBe(1);
});

test('a line that the shell cannot parse runs nothing and says so once', async () => {
  const at = room();
  const { text, end } = await runDisturbed(at, `${countRun}; if`, () => {});
  expect(text.match(/syntax error/g)).toHaveLength(1);
  expect(end.code).toBe(2);
  expect(runsIn(at)).toBe(0);
});
