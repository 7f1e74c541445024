import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/** Identifies a process permanently: its pid alone may be given to another one later. */
export interface ProcessMark {
  pid: number;
  /** Its start time, in whatever form the system reports it. */
  start: string;
}

export function processMark(pid: number): ProcessMark {
  return { pid, start: readStart(pid) ?? '' };
}

/** True when that same process is still alive. */
export function isSameProcess(mark: ProcessMark): boolean {
  const start = readStart(mark.pid);
  return start !== undefined && start === mark.start;
}

/** True when a process is stopped, as by ctrl-z: it is alive, and does nothing. False where the system does not tell. */
export function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  } catch {
    return false;
  }
}

/** Marks are unique within one boot of the machine only: this identifies the boot, where the system reports it. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '';
  }
}

/** Identifies the space of process ids that this process lives in, where the system reports it: a container has its own. */
export function readProcessSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** This process's own start, boot and space are the same as long as it lives; they are asked for with every lease and file. */
let ownStart: string | undefined;

function readStart(pid: number): string | undefined {
  if (pid !== process.pid) return askForStart(pid);
  ownStart ??= askForStart(pid);
  return ownStart;
}

function askForStart(pid: number): string | undefined {
  return process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
}

/**
 * The command name, in parentheses, may contain anything: fields are counted from after it. A process that has ended and was
 * not waited for is not alive.
 */
function startFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function startFromPs(pid: number): string | undefined {
  const { status, stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin' },
  });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;
}
