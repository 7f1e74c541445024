import type { FileHistoryRecord, TranscriptRecord } from '../../protocol/record.ts';
import { linkTarget } from './file-look.ts';
import { readKept } from './kept-bytes.ts';
import { lookAt } from './present-file.ts';

/** A file as it was before and after some of a session's work. The states are those of `FileHistoryRecord`. */
export interface FileChange {
  readonly path: string;
  readonly before: string | null;
  /** Undefined: as it is now. */
  readonly after: string | null | undefined;
}

/** What the given records changed, each file once, in the order of their first change. Changes by others are left out. */
export function listFileChanges(
  records: readonly TranscriptRecord[],
  isWanted: (record: FileHistoryRecord) => boolean = () => true,
): FileChange[] {
  const changes = new Map<string, FileChange>();
  for (const record of records) {
    if (record.type !== 'file-history' || record.cause === 'outside' || !isWanted(record)) continue;
    const { path, before, after } = record;
    changes.set(path, {
      path,
      before: changes.has(path) ? (changes.get(path)?.before ?? null) : before,
      after,
    });
  }
  return [...changes.values()].filter(({ before, after }) => before !== after);
}

/** Null: there is no file. */
export type FileState = { text: string } | null | { hidden: string };

/** The content of a file in one of its states, or why it cannot be shown. */
export function readFileState(path: string, state: string | null | undefined, directory: string): FileState {
  if (state === null) return null;
  if (state === undefined) return readPresent(path);
  const target = linkTarget(state);
  if (target !== undefined) return { text: `${target}\n` };
  const kept = readKept(directory, state);
  return kept.ok ? readText(kept.value) : { hidden: kept.problem.message };
}

function readPresent(path: string): FileState {
  const present = lookAt(path);
  if (present.kind === 'nothing') return null;
  return present.kind === 'file' ? readText(present.bytes) : { hidden: 'it is not a plain file.' };
}

const maxShown = 1024 * 1024;

function readText(bytes: Uint8Array): FileState {
  if (bytes.includes(0)) return { hidden: 'it is not text.' };
  if (bytes.length > maxShown) return { hidden: 'it is too large.' };
  return { text: new TextDecoder().decode(bytes) };
}
