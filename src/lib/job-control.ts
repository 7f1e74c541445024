import { readFileSync } from 'node:fs';

/**
 * Whether a stop of the process's own group comes about. The system ignores it where no process of the same session
 * stands above the group that could bring it back, such as a shell. Undefined where that cannot be known.
 */
export function canBeStopped(pid = process.pid): boolean | undefined {
  const own = familyOf(pid);
  if (!own) return undefined;
  for (let above = own; above.group === own.group; ) {
    const next = familyOf(above.parent);
    if (!next) return false;
    if (next.group !== own.group) return next.session === own.session;
    above = next;
  }
  return false;
}

function familyOf(pid: number): { parent: number; group: number; session: number } | undefined {
  try {
    // The name before them may hold anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(parent), group: Number(group), session: Number(session) };
  } catch {
    return undefined;
  }
}
