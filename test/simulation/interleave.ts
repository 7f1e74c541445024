import type { Disk, DiskFile, OpenHow } from '../../src/lib/files/disk.ts';
import type { Ids } from '../../src/lib/ids.ts';
import type { Machine } from '../../src/lib/machine.ts';
import type { Choose } from './explore.ts';
import { DiskFault } from './faulty-disk.ts';

/** Synchronous code of one process, which sees the world through its machine only. */
export type Program = (machine: Machine, note: (what: string) => void) => void;

export interface Stage {
  disk: Disk;
  uptime(): number;
  note(who: string, what: string): void;
}

export interface Limits {
  /** How often a process may be stopped in the middle, in all. Without a bound there would be too many orders. */
  switches: number;
  /** How many processes may be killed, each at any operation. */
  kills: number;
}

/**
 * Runs programs side by side, switching between any two operations, although each is plain synchronous code: a program that is
 * stopped is thrown out, and later run again from its start, with the recorded results of what it did, up to where it was.
 */
export function interleave(
  stage: Stage,
  programs: Readonly<Record<string, Program>>,
  choose: Choose,
  limits: Limits,
): void {
  const left = { ...limits };
  const dead = new Set<number>();
  const running = Object.entries(programs).map(
    ([name, program], index) => new Player(name, index + 1, program, stage, dead, choose, left),
  );
  for (let ready = running; ready.length > 0; ready = running.filter((one) => !one.isOver)) {
    const others = ready.length > 1 ? ready.filter((one) => !one.wasLast) : ready;
    const next = others[others.length > 1 ? choose(others.length) : 0];
    for (const one of running) one.wasLast = one === next;
    next?.play();
  }
}

const suspended = Symbol('stopped here; it is run again later');

type Recorded = { value: unknown } | { error: unknown };

class Player {
  isOver = false;
  wasLast = false;
  readonly #done: Recorded[] = [];
  #at = 0;
  #isOut = false;

  constructor(
    private readonly name: string,
    private readonly pid: number,
    private readonly program: Program,
    private readonly stage: Stage,
    private readonly dead: Set<number>,
    private readonly choose: Choose,
    private readonly left: Limits,
  ) {}

  /** Until it is over, killed or stopped. */
  play(): void {
    this.#at = 0;
    this.#isOut = false;
    try {
      this.program(this.#machine(), (what) => this.#step(() => this.stage.note(this.name, what), false));
      this.isOver ||= !this.#isOut;
    } catch (error) {
      if (error !== suspended && !this.#isOut) throw error;
    }
  }

  /** One operation: recorded when it is done for the first time. */
  #step<T>(work: () => T, mayStop: boolean): T {
    if (this.#isOut) throw suspended;
    const known = this.#done[this.#at];
    if (!known && mayStop) this.#mayStop();
    this.#at++;
    const result = known ?? attempt(work);
    if (!known) this.#done.push(result);
    if ('error' in result) throw result.error;
    return result.value as T;
  }

  #mayStop(): void {
    const { left } = this;
    const ways = 1 + (left.switches > 0 ? 1 : 0) + (left.kills > 0 ? 1 : 0);
    const way = ways === 1 ? 0 : this.choose(ways);
    if (way === 0) return;
    this.#isOut = true;
    const isKill = left.switches === 0 || way === 2;
    if (isKill) {
      left.kills--;
      this.isOver = true;
      this.dead.add(this.pid);
      this.stage.note(this.name, 'killed');
    } else left.switches--;
    throw suspended;
  }

  #machine(): Machine {
    const { stage, pid, dead } = this;
    return {
      disk: this.#disk(),
      ids: countTokens(this.name),
      self: () => ({ pid, start: 'simulated' }),
      isAlive: (mark) => this.#step(() => !dead.has(mark.pid), false),
      locality: () => ({ host: 'simulated', space: 'one boot' }),
      uptime: () => this.#step(() => stage.uptime(), false),
    };
  }

  #disk(): Disk {
    const { disk } = this.stage;
    // What only this process knows of needs no stop: nobody else can look at it.
    const run = <T>(path: string, work: () => T) => this.#step(work, !path.endsWith('.new'));
    return {
      open: (path, how) =>
        this.#open(
          run(path, () => disk.open(path, how)),
          how,
        ),
      stat: (path) => run(path, () => disk.stat(path)),
      list: (path) => run(path, () => disk.list(path)),
      link: (path, second) => run(second, () => disk.link(path, second)),
      rename: (path, target) => run(target, () => disk.rename(path, target)),
      unlink: (path) => run(path, () => disk.unlink(path)),
      makeDirectory: (path) => this.#step(() => disk.makeDirectory(path), false),
      chmod: (path, mode) => this.#step(() => disk.chmod(path, mode), false),
      syncDirectory: () => {},
    };
  }

  /** Files of leases are never changed in place: what was opened can be read at any time. Appending is seen by others. */
  #open(file: DiskFile, { access }: OpenHow): DiskFile {
    const quiet = <T>(work: () => T) => this.#step(work, false);
    const read = (buffer: Uint8Array, position: number) => {
      const found = quiet(() => {
        const count = file.read(buffer, position);
        return { count, bytes: buffer.slice(0, count) };
      });
      buffer.set(found.bytes);
      return found.count;
    };
    return {
      read,
      readSoon: async (buffer, position) => read(buffer, position),
      write: (bytes, start) => this.#step(() => file.write(bytes.slice(), start), access === 'append'),
      stat: () => quiet(() => file.stat()),
      truncate: (size) => quiet(() => file.truncate(size)),
      chmod: (mode) => quiet(() => file.chmod(mode)),
      chown: (uid, gid) => quiet(() => file.chown(uid, gid)),
      sync: () => {},
      syncSoon: async () => {},
      close: () => quiet(() => file.close()),
    };
  }
}

function attempt(work: () => unknown): Recorded {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof Error && ('code' in error || error instanceof DiskFault)) return { error };
    throw error;
  }
}

function countTokens(name: string): Ids {
  let next = 0;
  return {
    uuid: () =>
      `00000000-0000-4000-8000-${Buffer.from(name).toString('hex')}${(++next).toString(16).padStart(8, '0')}`,
    token: () => `${name.toLowerCase()}${++next}`,
  };
}
