import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { listNames } from '../../lib/files/list-names.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { maxPacedMs, parseNote } from './note.ts';

/** A limit that keeps a model closed for longer than pacing does, as some process noted it. */
export interface StoredHold {
  path: string;
  /** The folder of the model, whose name begins with the model's. */
  model: string;
  until: number;
}

const maxNote = 4_096;

export function listStoredHolds(home: string, now: number): StoredHold[] {
  const root = join(home, 'pacing');
  return listNames(root).flatMap((model) =>
    listNames(join(root, model))
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => readHold(join(root, model, name), model, now)),
  );
}

function readHold(path: string, model: string, now: number): StoredHold[] {
  const { hold } = parseNote(readBoundedText(path, maxNote) ?? '') ?? {};
  if (!hold || hold.delayMs <= maxPacedMs || hold.at + hold.delayMs <= now) return [];
  return [{ path, model, until: hold.at + hold.delayMs }];
}

/** The next request finds out what is true. A process that is running keeps what it was told. */
export function forgetHold({ path }: StoredHold): void {
  try {
    unlinkSync(path);
  } catch {
    // Its process has replaced or removed it.
  }
}
