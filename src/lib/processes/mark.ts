import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process for good: its pid alone may be given to another one later. */
export interface ProcessMark {
  pid: number;
  /** When it started, in whatever form the system tells. */
  start: string;
}

export function processMark(pid: number): ProcessMark {
  return { pid, start: readStart(pid) ?? '' };
}

/** True when that very process is still alive. */
export function isSameProcess(mark: ProcessMark): boolean {
  const start = readStart(mark.pid);
  return start !== undefined && start === mark.start;
}

/** Marks are told apart within one start of the machine only: this tells one from another, where the system does. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '';
  }
}

function readStart(pid: number): string | undefined {
  return process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
}

/**
 * The command name, in parentheses, may hold anything: fields are counted from behind it. A process that has ended and was
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
