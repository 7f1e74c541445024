import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeAtomic } from '../../lib/files/atomic.ts';
import { describeFileError } from '../../lib/files/files.ts';
import type { Desk } from '../desk.ts';

/** Opens a file of the user in their editor. Says what became of it. */
export async function editOwnFile(desk: Desk, file: string, initial: string): Promise<string> {
  try {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode;
    const before = mode === undefined ? initial : readFileSync(file, 'utf8');
    const after = await desk.world.edit(before);
    if (after === undefined) return `The editor failed; ${file} was not changed.`;
    if (after === before && mode !== undefined) return `${file} was not changed.`;
    mkdirSync(dirname(file), { recursive: true });
    const written = writeAtomic(file, after, (mode ?? 0o600) & 0o777);
    return written.ok ? `Saved ${file}. New sessions use it.` : written.problem.message;
  } catch (error) {
    return describeFileError(error, file, 'write').message;
  }
}
