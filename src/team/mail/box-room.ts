import { join } from 'node:path';
import type { Machine } from '../../lib/machine.ts';
import { failure, type Result } from '../../lib/result.ts';
import type { TeamPlace } from '../team-place.ts';
import { stateDirectories } from './box-place.ts';

/** Of one box. A sender that never ends must not fill the disk. */
export const maxWaiting = 20_000;

const sendsBetweenCounts = 64;

/** Whether there is room in a box, counted now and then: other processes send as well, so the limit is not exact. */
export class BoxRoom {
  readonly #place: TeamPlace;
  readonly #machine: Machine;
  readonly #left = new Map<string, number>();

  constructor(place: TeamPlace, machine: Machine) {
    this.#place = place;
    this.#machine = machine;
  }

  /** Takes room for one message; a problem where there is none. */
  check(owner: string): Result<never> | undefined {
    const left = this.#left.get(owner) ?? 0;
    const free = left > 0 ? left : Math.min(sendsBetweenCounts, maxWaiting - this.#count(owner));
    this.#left.set(owner, free - 1);
    if (free > 0) return undefined;
    return failure(
      `Nothing was sent to ${owner}: ${maxWaiting} messages wait in its box.`,
      `See whether ${owner} runs: cadre team show ${this.#place.name}.`,
    );
  }

  #count(owner: string): number {
    try {
      return this.#machine.disk.list(join(this.#place.box(owner), stateDirectories.written)).length;
    } catch {
      return 0;
    }
  }
}
