import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { processMark } from '../../lib/processes/mark.ts';
import { ok, type Result } from '../../lib/result.ts';
import { type Hold, parseNote } from './note.ts';

/** A limit of a model, by the name of its folder: a hash of model, server and key, which says none of them. */
export interface NamedHold {
  model: string;
  hold: Hold;
}

const folderForm = /^[A-Za-z0-9][A-Za-z0-9.-]{0,100}$/;
/** Marks notes that came from another machine. */
const foreignEnd = '-foreign.json';
const maxNote = 4_096;

/** What processes of this home were told by providers, and still holds. */
export function listOwnHolds(home: string, now: number): NamedHold[] {
  const root = join(home, 'pacing');
  return listNames(root).flatMap((model) =>
    listNames(join(root, model))
      .filter((name) => name.endsWith('.json') && !name.endsWith(foreignEnd))
      .flatMap((name): NamedHold[] => {
        const { hold } = parseNote(readBoundedText(join(root, model, name), maxNote) ?? '') ?? {};
        return hold && hold.at + hold.delayMs > now ? [{ model, hold }] : [];
      }),
  );
}

/** Lets the processes of this home wait for a limit that another machine met. */
export function noteForeignHold(home: string, { model, hold }: NamedHold): Result<void> {
  if (!folderForm.test(model)) return ok(undefined);
  const directory = join(home, 'pacing', model);
  const made = ensurePrivateDirectory(directory);
  if (!made.ok) return made;
  const { start } = processMark(process.pid);
  const path = join(directory, `${process.pid}-${start.replace(/\W+/g, '_')}${foreignEnd}`);
  try {
    writeFileSync(`${path}.tmp`, JSON.stringify({ sessions: 0, hold }), { mode: 0o600 });
    renameSync(`${path}.tmp`, path);
  } catch {
    // Without it the provider says it once more.
  }
  return ok(undefined);
}
