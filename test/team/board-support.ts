import { join } from 'node:path';
import { type ManualClock, manualClock } from '../../src/lib/clock.ts';
import { memoryDisk } from '../../src/lib/files/memory-disk.ts';
import { countedIds } from '../../src/lib/ids.ts';
import { type Machine, systemMachine } from '../../src/lib/machine.ts';
import type { Result } from '../../src/lib/result.ts';
import { type Board, type BoardOptions, openBoard } from '../../src/team/board/board.ts';

export interface BoardGround {
  machine: Machine;
  clock: ManualClock;
  directory: string;
  /** Members whose incarnation has ended, as `name incarnation`. */
  dead: Set<string>;
  /** Another process's view of the same board. */
  open(more?: Partial<BoardOptions>): Board;
}

/** A board on a disk in memory, as several processes see it. */
export function boardGround(): BoardGround {
  const clock = manualClock(Date.parse('2026-01-01T00:00:00Z'));
  // Ids that are all digits are not used for items: these count from there.
  const counted = countedIds();
  const ids = { uuid: counted.uuid, token: (length: number) => `a${counted.token(length - 1)}` };
  const machine = { ...systemMachine, disk: memoryDisk(), ids };
  const directory = join('/', 'board');
  const dead = new Set<string>();
  const isAlive = (member: string, incarnation: string) => !dead.has(`${member} ${incarnation}`);
  return {
    ...{ machine, clock, directory, dead },
    open: (more = {}) => openBoard({ directory, machine, clock, isAlive, isShared: false, ...more }),
  };
}

export const lead = { name: 'team-lead', incarnation: '1-l', leads: true };
export const alice = { name: 'alice', incarnation: '1-a' };
export const bob = { name: 'bob', incarnation: '1-b' };

export function need<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Error(result.problem.message);
}

export function refusal(result: Result<unknown>): string {
  return result.ok ? '' : result.problem.message;
}
