import { existsSync } from 'node:fs';
import { readJsonlTail } from '../lib/jsonl/jsonl.ts';
import type { TranscriptRecord } from '../protocol/index.ts';
import type { SessionOptions } from '../session/options.ts';
import type { Surroundings } from '../session/surroundings.ts';
import { checkRecord } from '../store/check-record.ts';
import { findTranscripts } from '../store/transcript-files.ts';
import { readTeamMember } from '../store/transcript-header.ts';
import { fromRecords, type SessionFacts, type View } from '../view/index.ts';
import { openCutWork } from './cut-work.ts';

/** A few screens of a conversation. */
const maxBytes = 256 * 1024;

/** The place of the conversation to be resumed, as far as it is known without reading it. */
export function findEarlierPath(
  { resume }: SessionOptions,
  { layout, cwd }: Surroundings,
): string | undefined {
  if (!resume) return undefined;
  if (resume.from === 'latest')
    return findTranscripts(layout, cwd).find(({ path }) => readTeamMember(path) === undefined)?.path;
  return findTranscripts(layout).find(({ id }) => id.startsWith(resume.id.trim().toLowerCase()))?.path;
}

/** An earlier session, or one that runs in another process, as far as its first screens need it. */
export function buildEarlierView(
  path: string,
  facts: Partial<SessionFacts> = {},
  live?: { isLeadRunning: boolean },
): View {
  return fromRecords(readEarlier(path), facts, openCutWork(path), live);
}

/** The end of a stored conversation, in a time that does not depend on its length. */
export function readEarlier(path: string, most = maxBytes): TranscriptRecord[] {
  if (!existsSync(path)) return [];
  const tail = readJsonlTail(path, () => false, most);
  if (!tail.ok) return [];
  return tail.value.records.flatMap((found) => {
    const checked = checkRecord(found);
    return checked.kind === 'good' ? [checked.record] : [];
  });
}
