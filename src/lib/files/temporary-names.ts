import { type Ids, randomIds } from '../ids.ts';
import { isSameProcess, type ProcessMark, processMark } from '../processes/mark.ts';

let own: ProcessMark | undefined;

/**
 * A part of a name that says which process made the file, for files that exist only for a moment: what a killed process
 * leaves is recognised by it and removed by the next start.
 */
export function nameByProcess(): string {
  own ??= processMark(process.pid);
  return formatProcessName(own, randomIds);
}

/** The same for the process of another machine, as a simulation has them. */
export function formatProcessName({ pid, start }: ProcessMark, ids: Pick<Ids, 'token'>): string {
  return `${pid}.${encodeURIComponent(start)}.${ids.token(16)}`;
}

/** Whether a name was made by `nameByProcess` in a process that has ended. */
export function isNameOfDead(name: string): boolean {
  const [, pid, start = ''] = madeName.exec(name) ?? [];
  return pid !== undefined && !isSameProcess({ pid: Number(pid), start: decodeURIComponent(start) });
}

const madeName =
  /(?:^|[./-])(\d{1,10})\.((?:[\w~!*'()-]|%[0-9A-F]{2})*)\.[a-z0-9]{16}(?:\.(?:tmp|new|json|process))?$/;
