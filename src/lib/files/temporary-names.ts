import { randomIds } from '../ids.ts';
import { isSameProcess, type ProcessMark, processMark } from '../processes/mark.ts';

let own: string | undefined;

/**
 * A part of a name that says which process made the file, for files that exist only for a moment: what a killed process
 * leaves is recognised by it and removed by the next start.
 */
export function nameByProcess(): string {
  own ??= formatMark(processMark(process.pid));
  return `${own}.${randomIds.token(16)}`;
}

function formatMark({ pid, start }: ProcessMark): string {
  return `${pid}.${encodeURIComponent(start)}`;
}

/** Whether a name was made by `nameByProcess` in a process that has ended. */
export function isNameOfDead(name: string): boolean {
  const [, pid, start = ''] = madeName.exec(name) ?? [];
  return pid !== undefined && !isSameProcess({ pid: Number(pid), start: decodeURIComponent(start) });
}

const madeName =
  /(?:^|[./-])(\d{1,10})\.((?:[\w~!*'()-]|%[0-9A-F]{2})*)\.[a-z0-9]{16}(?:\.(?:tmp|json|process))?$/;
