import { closeSync, readSync } from 'node:fs';
import { isRecord } from '../lib/fields/field-values.ts';
import { parseJson } from '../lib/fields/parse-json.ts';
import { openRegular } from '../lib/files/open-regular.ts';

const maxHeaderBytes = 16 * 1024;

/** The address of the teammate whose session this is, by its header; undefined for a session of the user. */
export function readTeamMember(transcript: string): string | undefined {
  try {
    const file = openRegular(transcript);
    try {
      const bytes = Buffer.alloc(maxHeaderBytes);
      const [line = ''] = bytes.toString('utf8', 0, readSync(file, bytes)).split('\n', 1);
      const header = parseJson(line);
      return isRecord(header) && typeof header.teamMember === 'string' ? header.teamMember : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    // Reported where the transcript is read.
    return undefined;
  }
}
