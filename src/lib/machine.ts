import { openSync, readSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { type Disk, systemDisk } from './files/disk.ts';
import { type Ids, randomIds } from './ids.ts';
import { bootId, isSameProcess, type ProcessMark, processMark, readProcessSpace } from './processes/mark.ts';

/** The machine that locks and leases are taken on, as a port: a simulation has its own disk, processes and time. */
export interface Machine {
  readonly disk: Disk;
  readonly ids: Ids;
  /** This process. */
  self(): ProcessMark;
  /** True when that process is alive; it must be one of this machine. */
  isAlive(mark: ProcessMark): boolean;
  /** Where marks of processes and times since the boot can be compared. */
  locality(): Locality;
  /**
   * Milliseconds since the machine was started, the same for all of its processes. A change of the wall clock does not move
   * it; a paused process and a sleeping machine do not stop it.
   */
  uptime(): number;
}

/** Marks and times of two processes mean the same where both of these are equal. */
export interface Locality {
  /** The name of the machine, for people. */
  host: string;
  /** One boot of one machine, and one space of process ids in it: a container has its own. */
  space: string;
}

export const systemMachine: Machine = {
  disk: systemDisk,
  ids: randomIds,
  self: () => processMark(process.pid),
  isAlive: isSameProcess,
  locality: () => {
    ownSpace ??= `${bootId()} ${readProcessSpace()}`.trim();
    return { host: hostname(), space: ownSpace };
  },
  uptime: () => readUptime() ?? uptime() * 1000,
};

let ownSpace: string | undefined;

let uptimeFile: number | undefined;

/**
 * Of Linux, in steps of 10 ms: other ways give whole seconds, or the age of the process. Asked before every record that is
 * written, so the file stays open: the kernel fills it in at each read.
 */
function readUptime(): number | undefined {
  try {
    uptimeFile ??= openSync('/proc/uptime', 'r');
    const text = bytes.toString('latin1', 0, readSync(uptimeFile, bytes, 0, bytes.length, 0));
    const seconds = Number(text.slice(0, text.indexOf(' ')));
    return text !== '' && Number.isFinite(seconds) ? seconds * 1000 : undefined;
  } catch {
    return undefined;
  }
}

const bytes = Buffer.alloc(64);
