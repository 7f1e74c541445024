import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomic } from '../lib/files/atomic.ts';
import { readBoundedText } from '../lib/files/read-bounded.ts';
import type { RemovedForSpace } from '../store/home-limit.ts';

const noteName = '.removed';

/** Removal happens when a session ends, when no user reads: the next start says it. */
export function noteRemoved(
  home: string,
  { sessions, months, bytes, isOver }: RemovedForSpace,
  maxBytes: number,
): void {
  if (sessions + months === 0 && !isOver) return;
  const limit = `${megabytes(maxBytes)} (cleanupMaxMegabytes)`;
  const what = [
    ...(sessions > 0 ? [`${sessions} of the longest unused sessions`] : []),
    ...(months > 0 ? [`${months} past months of the audit log`] : []),
  ].join(' and ');
  const removed = what === '' ? '' : `Removed ${what} (${megabytes(bytes)}) to keep ${home} below ${limit}.`;
  const over = isOver
    ? `${home} is above ${limit}: what is left is in use, not landed yet, or your own. cadre doctor shows its size.`
    : '';
  writeAtomic(join(home, noteName), [removed, over].filter(Boolean).join(' '));
}

/** Once. */
export function takeRemovedNote(home: string): string[] {
  const path = join(home, noteName);
  const text = readBoundedText(path, maxNoteBytes);
  if (!text) return [];
  rmSync(path, { force: true });
  return [text];
}

const maxNoteBytes = 4096;

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
