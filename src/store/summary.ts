import { existsSync } from 'node:fs';
import { readJsonl, readJsonlTail } from '../lib/jsonl/jsonl.ts';
import { visibleLine } from '../lib/text/text.ts';
import { typedBlocks } from '../protocol/additions.ts';
import { textOf } from '../protocol/message.ts';
import type { MovedTo, StateRecord, TranscriptRecord } from '../protocol/record.ts';
import { checkRecord } from './check-record.ts';
import { createSessionLayout } from './layout.ts';
import { agentTranscripts, type TranscriptFile } from './transcript-files.ts';

export interface SessionSummary {
  id: string;
  path: string;
  projectDirectory: string;
  /** Absent when the header is damaged. */
  cwd?: string;
  /** Its title, else its first prompt: one line, bounded, without control characters. */
  title: string;
  /** The user's newest prompt, if it differs from the title. */
  lastPrompt?: string;
  /** The teammate whose session it is: one that a leader opened in a pane. */
  teamMember?: string;
  /** It was continued in a copy of another session. */
  forkedFrom?: string;
  modifiedAt: number;
  messageCount: number;
  /** False when the count is estimated from the ends of a long transcript. */
  messageCountIsExact: boolean;
  /** Number of agent transcripts. */
  agentCount: number;
  /** Set when the lead only directs others. */
  mode?: 'coordinator';
  /** Where its agents exchanged files, if they did. */
  scratchpad?: string;
  /** It was moved to a worker, and has not come back. */
  movedTo?: MovedTo;
}

const endBytes = 64 * 1024;
const titleCharacters = 80;

/** A session's entry in a list, from the two ends of its transcript. Undefined when it cannot be read. */
export async function summarise(file: TranscriptFile): Promise<SessionSummary | undefined> {
  const head = await readHead(file.path);
  const tail = readJsonlTail(file.path, () => false, endBytes);
  if (!head || !tail.ok) return undefined;
  const last = tail.value.records.flatMap(readRecord);
  const title =
    last.findLast((record) => record.type === 'custom-title')?.customTitle ?? head.title ?? head.prompt;
  const nobody = head.teamMember === undefined ? '(no prompt)' : `(teammate ${head.teamMember})`;
  const shown = visibleLine(title ?? '', titleCharacters) || visibleLine(nobody, titleCharacters);
  const newest = visibleLine(
    last.map(findPrompt).findLast((text) => text !== undefined) ?? '',
    titleCharacters,
  );
  const seen = last.filter(isMessage).length;
  const exact = tail.value.fromStart;
  // At least the number in the head: one huge last record must not make a session look empty.
  const judged = Math.max(
    Math.round((seen * file.size) / Math.max(1, tail.value.bytesRead)),
    head.messages,
    seen,
  );
  const state = last.findLast((record) => record.type === 'session-state') ?? head.state;
  const { subagents, scratchpad } = createSessionLayout(file.projectDirectory, file.id);
  return {
    id: file.id,
    path: file.path,
    projectDirectory: file.projectDirectory,
    cwd: head.cwd,
    title: shown,
    lastPrompt: newest === '' || newest === shown ? undefined : newest,
    teamMember: head.teamMember,
    forkedFrom: head.forkedFrom,
    modifiedAt: file.modifiedAt,
    messageCount: exact ? seen : judged,
    messageCountIsExact: exact,
    agentCount: agentTranscripts(subagents).length,
    mode: state?.sessionMode === 'coordinator' ? state.sessionMode : undefined,
    scratchpad: existsSync(scratchpad) ? scratchpad : undefined,
    movedTo: last.findLast((record) => record.type === 'moved')?.to ?? undefined,
  };
}

interface Head {
  cwd?: string;
  forkedFrom?: string;
  teamMember?: string;
  title?: string;
  prompt?: string;
  messages: number;
  state?: StateRecord;
}

/** Reads until the user's first prompt, with a limit: a prompt may be megabytes of image. */
async function readHead(path: string): Promise<Head | undefined> {
  const head: Head = { messages: 0 };
  const read = await readJsonl(path, {
    onRecord(found, place) {
      for (const record of readRecord(found)) note(head, record);
      return head.prompt === undefined && place.offset < endBytes;
    },
    onDamage: () => {},
  });
  return read.ok ? head : undefined;
}

function note(head: Head, record: TranscriptRecord): void {
  if (record.type === 'cadre-transcript') {
    head.cwd ??= record.cwd;
    if (typeof record.teamMember === 'string') head.teamMember ??= record.teamMember;
    if (record.forkedFrom) head.forkedFrom ??= record.forkedFrom.sessionId;
  }
  if (record.type === 'custom-title') head.title = record.customTitle;
  if (record.type === 'session-state') head.state = record;
  if (isMessage(record)) head.messages++;
  const prompt = findPrompt(record);
  if (prompt !== undefined) head.prompt = prompt;
}

function findPrompt(record: TranscriptRecord): string | undefined {
  if (record.type !== 'user' || record.origin.kind !== 'human') return undefined;
  return textOf(typedBlocks(record.message.content)) || undefined;
}

function isMessage(record: TranscriptRecord): boolean {
  return record.type === 'user' || record.type === 'assistant';
}

function readRecord(found: Record<string, unknown>): TranscriptRecord[] {
  const checked = checkRecord(found);
  return checked.kind === 'good' ? [checked.record] : [];
}
