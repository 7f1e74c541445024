import { readFileSync } from 'node:fs';

/**
 * Whether a stop signal to the process's own group takes effect. The system ignores it where no process of the same session,
 * such as a shell, is above the group and could resume it. Undefined where that is unknown.
 */
export function canBeStopped(pid = process.pid): boolean | undefined {
  const own = readFamily(pid);
  if (!own) return undefined;
  for (let above = own; above.group === own.group; ) {
    const next = readFamily(above.parent);
    if (!next) return false;
    if (next.group !== own.group) return next.session === own.session;
    above = next;
  }
  return false;
}

/** A background job that reads its terminal is stopped by the system. If unknown, it is taken for foreground. */
export function isForeground(pid = process.pid): boolean {
  const own = readFamily(pid);
  return !own || own.group === own.foreground;
}

interface Family {
  parent: number;
  group: number;
  session: number;
  /** The group that has the terminal. */
  foreground: number;
}

function readFamily(pid: number): Family | undefined {
  try {
    // The name before them may contain anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [, parent, group, session, , foreground] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { parent, group, session, foreground } as Family;
  } catch {
    return undefined;
  }
}
