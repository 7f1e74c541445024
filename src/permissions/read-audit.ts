import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeFileError } from '../lib/files/files.ts';
import { readJsonl } from '../lib/jsonl/jsonl.ts';
import { fail, getErrorCode, ok, type Result } from '../lib/result.ts';
import { type AuditEntry, auditDirectory } from './audit.ts';

export interface AuditRead {
  /** Oldest first. */
  entries: AuditEntry[];
  /** Lines that could not be parsed, by file and line. */
  damage: string[];
}

/** The newest `last` entries, of one session or of all. */
export async function readAudit(
  home: string,
  wanted: { sessionId?: string; last: number },
): Promise<Result<AuditRead>> {
  const directory = auditDirectory(home);
  const names = listMonths(directory);
  if (!names.ok) return names;
  const read: AuditRead = { entries: [], damage: [] };
  for (const name of names.value.reverse()) {
    const path = join(directory, name);
    const entries: AuditEntry[] = [];
    const done = await readJsonl(path, {
      onRecord: (record) => {
        if (isEntry(record) && (wanted.sessionId === undefined || record.sessionId === wanted.sessionId))
          entries.push(record);
        return true;
      },
      onDamage: ({ line, reason }) => void read.damage.push(`${path}:${line}: ${reason}`),
    });
    if (!done.ok) return done;
    read.entries.unshift(...entries);
    if (read.entries.length >= wanted.last) break;
  }
  return ok({ ...read, entries: read.entries.slice(-wanted.last) });
}

function listMonths(directory: string): Result<string[]> {
  try {
    return ok(
      readdirSync(directory)
        .filter((name) => /^\d{4}-\d\d\.jsonl$/.test(name))
        .sort(),
    );
  } catch (error) {
    return getErrorCode(error) === 'ENOENT' ? ok([]) : fail(describeFileError(error, directory, 'read'));
  }
}

function isEntry(record: unknown): record is AuditEntry {
  const { type, at, sessionId } = record as Record<string, unknown>;
  return typeof type === 'string' && typeof at === 'string' && typeof sessionId === 'string';
}
