import { existsSync, readFileSync } from 'node:fs';
import { type ProcessMark, processMark } from './mark.ts';

/** Minimum time a process has to start one, in short pauses; no timer is that short. */
const [looks, pauseMs] = [5000, 0.1];

/**
 * The first process that another one starts, as soon as it has; undefined where it ends first, and where the system does not
 * tell. For a program that creates a namespace, all other processes in it end with this one.
 */
export async function awaitFirstChild(pid: number, isOver: () => boolean): Promise<ProcessMark | undefined> {
  if (!existsSync(locateChildren(process.pid))) return undefined;
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (let look = 0; look < looks && !isOver(); look++) {
    const found = readFirstChild(pid);
    if (found) return found;
    Atomics.wait(never, 0, 0, pauseMs);
    await new Promise(setImmediate);
  }
  return undefined;
}

function readFirstChild(pid: number): ProcessMark | undefined {
  try {
    const [child] = readFileSync(locateChildren(pid), 'latin1').split(' ');
    const mark = child ? processMark(Number(child)) : undefined;
    return mark?.start ? mark : undefined;
  } catch {
    return undefined;
  }
}

function locateChildren(pid: number): string {
  return `/proc/${pid}/task/${pid}/children`;
}
