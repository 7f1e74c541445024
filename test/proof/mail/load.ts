import type { ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep, systemClock } from '../../../src/lib/clock.ts';
import { systemMachine } from '../../../src/lib/machine.ts';
import { makeBox } from '../../../src/team/mail/box-place.ts';
import { locateTeam } from '../../../src/team/team-place.ts';
import { createTeam } from '../../../src/team/team-record.ts';
import type { Random } from '../random.ts';
import { endProgram, readOutput, startProgram } from './processes.ts';

export interface Load {
  home: string;
  senders: number;
  each: number;
  /** Between two messages of one sender; 0: as fast as it can. */
  everyMs: number;
  /** How often the reader is killed with -9. */
  kills: number;
  random: Random;
  /** Something else that happens in the middle. */
  disturb?(): Promise<void>;
}

export interface LoadResult {
  sent: number;
  lost: number;
  doubled: number;
  disordered: number;
  quarantined: number;
  refused: number;
  kills: number;
  p95: number;
  seconds: number;
}

/** Sends with many processes and reads with one; then counts what came. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const { home, senders, each } = load;
  prepare(home);
  const started = Array.from({ length: senders }, (_, index) =>
    startProgram('sender.ts', [home, `s${index}`, String(each), String(load.everyMs)]),
  );
  const outputs = Promise.all(started.map(readOutput));
  let reader = startProgram('reader.ts', [home]);
  await waitForMembers(home, senders + 1);
  const begin = performance.now();
  writeFileSync(join(home, 'go'), '');
  const { state, ended } = track(outputs);
  const disturbed = load.disturb?.();
  let kills = 0;
  for (; kills < load.kills && !state.isOver; kills++) {
    await sleep(systemClock, 20 + load.random.below(150));
    await endProgram(reader, 'SIGKILL');
    reader = startProgram('reader.ts', [home]);
  }
  await disturbed;
  const printed = await ended;
  const seconds = (performance.now() - begin) / 1000;
  await waitForRest(home, reader);
  await endProgram(reader, 'SIGTERM');
  const refused = printed.reduce((sum, text) => sum + (JSON.parse(text) as { refused: number }).refused, 0);
  return { ...count(home, senders, each), refused, kills, seconds };
}

function prepare(home: string): void {
  const around = { home, machine: systemMachine, clock: systemClock };
  const team = createTeam({ name: 'proof', leaderSession: 's', cwd: '/' }, around);
  const box = makeBox(locateTeam(home, 'proof'), 'bob', systemMachine);
  if (!team.ok || !box.ok) throw new Error(JSON.stringify([team, box]));
}

function track<T>(work: Promise<T>): { state: { isOver: boolean }; ended: Promise<T> } {
  const state = { isOver: false };
  const ended = work.finally(() => {
    state.isOver = true;
  });
  return { state, ended };
}

async function waitForMembers(home: string, wanted: number): Promise<void> {
  const { members } = locateTeam(home, 'proof');
  while (systemMachine.disk.list(members).filter((name) => /^\w+\.json$/.test(name)).length < wanted)
    await sleep(systemClock, 10);
}

/** Until the reader has taken what is there. */
async function waitForRest(home: string, reader: ChildProcess): Promise<void> {
  const box = locateTeam(home, 'proof').box('bob');
  const isEmpty = (name: string) => systemMachine.disk.list(join(box, name)).length === 0;
  while (!isEmpty('new') || !isEmpty('delivered')) {
    if (reader.exitCode !== null) throw new Error('the reader has ended');
    await sleep(systemClock, 20);
  }
}

interface Line {
  from?: string;
  n: number;
  ms: number;
}

function count(home: string, senders: number, each: number) {
  const lines = readFileSync(join(home, 'transcript'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
  const mail = lines.filter(({ from }) => from !== undefined);
  const bySender = Map.groupBy(mail, ({ from }) => from);
  const found = [...bySender.values()].map((own) => own.map(({ n }) => n));
  const distinct = found.reduce((sum, own) => sum + new Set(own).size, 0);
  const times = mail.map(({ ms }) => ms).sort((one, other) => one - other);
  return {
    sent: senders * each,
    lost: senders * each - distinct,
    doubled: mail.length - distinct,
    disordered: found.filter((own) => own.some((n, index) => index > 0 && n < (own[index - 1] ?? 0))).length,
    quarantined: lines.length - mail.length,
    p95: times[Math.floor(times.length * 0.95)] ?? 0,
  };
}
