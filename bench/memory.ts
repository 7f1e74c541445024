import { readdirSync, readFileSync } from 'node:fs';

/**
 * Watches a process and all that it started. The peak is the highest sum of resident memory seen, or the
 * first process's own high-water mark where that is more: the kernel keeps it between two looks.
 *
 * Not `ru_maxrss`: a program started with vfork inherits there the high-water mark of its parent.
 */
export function watchMemory(pid: number): () => number {
  let peak = 0;
  const look = () => {
    const tree = processTree(pid);
    const resident = tree.reduce((sum, member) => sum + kilobytes(member, 'VmRSS'), 0);
    peak = Math.max(peak, resident, kilobytes(pid, 'VmHWM'));
  };
  const timer = setInterval(look, 3);
  return () => {
    clearInterval(timer);
    return peak / 1024;
  };
}

function processTree(pid: number): number[] {
  const own = commandOf(pid);
  // Between fork and exec a child still is its parent, page for page: counting it would count twice.
  const children = childrenOf(pid).filter((child) => commandOf(child) !== own);
  return [pid, ...children.flatMap(processTree)];
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return []; // It ended while we looked.
  }
}

function kilobytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  try {
    const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(
      new RegExp(`^${field}:\\s+(\\d+) kB`, 'm'),
    );
    return Number(line?.[1] ?? 0);
  } catch {
    return 0;
  }
}
