import { existsSync } from 'node:fs';
import { readJsonlTail } from '../lib/jsonl/jsonl.ts';
import type { TranscriptRecord } from '../protocol/index.ts';
import type { SessionOptions } from '../session/options.ts';
import type { Surroundings } from '../session/surroundings.ts';
import { checkRecord } from '../store/check-record.ts';
import { findTranscripts } from '../store/transcript-files.ts';
import { fromRecords, type SessionFacts, type View } from '../view/index.ts';
import { openCutWork } from './cut-work.ts';

/** Some screens of a conversation. */
const maxBytes = 256 * 1024;

/** Where the conversation is that will be gone on with, as far as that can be told without reading it. */
export function findEarlierPath(
  { resume }: SessionOptions,
  { layout, cwd }: Surroundings,
): string | undefined {
  if (!resume) return undefined;
  if (resume.from === 'latest') return findTranscripts(layout, cwd)[0]?.path;
  return findTranscripts(layout).find(({ id }) => id.startsWith(resume.id.trim().toLowerCase()))?.path;
}

/** A session that was, as far as its first screens need it. */
export function buildEarlierView(path: string, facts: Partial<SessionFacts> = {}): View {
  return fromRecords(readEarlier(path), facts, openCutWork(path));
}

/** The end of a stored conversation, in a time that does not depend on how long it is. */
export function readEarlier(path: string): TranscriptRecord[] {
  if (!existsSync(path)) return [];
  const tail = readJsonlTail(path, () => false, maxBytes);
  if (!tail.ok) return [];
  return tail.value.records.flatMap((found) => {
    const checked = checkRecord(found);
    return checked.kind === 'good' ? [checked.record] : [];
  });
}
