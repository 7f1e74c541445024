import type { DiskFile } from '../../lib/files/disk.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { listQuietly } from '../../lib/files/small-files.ts';
import type { Machine } from '../../lib/machine.ts';
import { fail, getErrorCode, type Result } from '../../lib/result.ts';
import type { MailMessage } from '../../protocol/team.ts';
import type { TeamPlace } from '../team-place.ts';
import { maxMailBytes, parseMail } from './mail-format.ts';

/** The files of one box. */
export interface BoxFiles {
  place: TeamPlace;
  owner: string;
  key: string;
  machine: Machine;
}

/**
 * A file of a box. `gone`: it was moved meanwhile. `later`: the system cannot open anything right now. Whatever else keeps it from being read
 * as a message is a fault of the file, in words.
 */
export type FoundMail = Result<MailMessage, string> | 'gone' | 'later';

export function readMailFile(
  { place, owner, key, machine }: BoxFiles,
  directory: string,
  file: string,
): FoundMail {
  let opened: DiskFile | undefined;
  try {
    opened = machine.disk.open(join(place.box(owner), directory, file), { access: 'read' });
    const { size, mtimeMs } = opened.stat();
    if (size > maxMailBytes) return fail(`it is larger than ${maxMailBytes} bytes`);
    const bytes = Buffer.alloc(size);
    let length = 0;
    for (let count = 1; count > 0 && length < size; length += count)
      count = opened.read(bytes.subarray(length), length);
    const text = bytes.toString('utf8', 0, length);
    return parseMail({ team: place.name, box: owner, file, text, mtimeMs }, key);
  } catch (error) {
    const code = getErrorCode(error);
    // Not the system's.
    if (code === undefined || code.startsWith('ERR_')) throw error;
    if (code === 'ENOENT') return 'gone';
    return passing.has(code) ? 'later' : fail(`it cannot be read (${code})`);
  } finally {
    opened?.close();
  }
}

const passing: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR']);

/** Sorted; hidden names are files that are being written. None where there is no such directory. */
export function listMailFiles({ place, owner, machine }: BoxFiles, directory: string): string[] {
  return listQuietly(join(place.box(owner), directory), machine.disk)
    .filter((name) => !name.startsWith('.'))
    .sort();
}
