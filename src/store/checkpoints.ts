import { visibleLine } from '../lib/text.ts';
import { typedBlocks } from '../protocol/additions.ts';
import { textOf } from '../protocol/message.ts';
import type { MessageRecord, RewindRecord, UserRecord } from '../protocol/record.ts';
import { followChain } from './chain.ts';
import { type FileLook, isSameLook, lookAfter, lookBefore } from './file-look.ts';
import { isMessage, lineageOf, untilHead, withoutUnfinished } from './lineage.ts';
import type { LoadedTranscript } from './transcript.ts';

type Records = LoadedTranscript['records'];

/** A point that one can go back to. */
export interface Checkpoint {
  /** Of the prompt, or of the rewind. */
  uuid: string;
  /** `rewind`: how things stood before somebody went back, so that this can be undone. */
  kind: 'prompt' | 'rewind';
  /** ISO 8601. */
  at: string;
  /** The first line of the prompt. */
  text: string;
  /** Files that are other than they were there, by anybody's change that is known of. */
  filesChanged: number;
}

/** A point found in a transcript. */
export interface FoundCheckpoint extends Omit<Checkpoint, 'filesChanged'> {
  /** The first record that is later than it. */
  index: number;
  /** The last message of the conversation as it was then. */
  head: string | null;
  /** The whole prompt. */
  prompt: string;
}

const mostCharacters = 120;

/** The prompts of the conversation as it stands and how things were before the last rewind, oldest first. */
export function checkpointsOf(records: Records): Checkpoint[] {
  const changed = changedFrom(records);
  const prompts = conversationIn(records).filter((record) => isPrompt(record) && record.copyOf === undefined);
  const points = [...prompts.map(({ uuid }) => uuid), ...undoIn(records)];
  return points
    .flatMap((uuid) => findCheckpoint(records, uuid) ?? [])
    .toSorted((a, b) => a.index - b.index)
    .map(({ uuid, kind, at, text, index }) => ({ uuid, kind, at, text, filesChanged: changed[index] ?? 0 }));
}

/** The last rewind: of one that was cut off and repeated, where it began. */
function undoIn(records: Records): string[] {
  const rewinds = records.filter((record) => record.type === 'rewind');
  const done = new Set(rewinds.flatMap(({ uuid, isDone }) => (isDone ? [uuid] : [])));
  const begun = rewinds.filter(({ isDone }) => !isDone);
  let at = begun.length - 1;
  while (at > 0 && begun[at - 1]?.to === begun[at]?.to && !done.has(begun[at - 1]?.uuid ?? '')) at--;
  const first = begun[at];
  return first ? [first.uuid] : [];
}

/** By the uuid of a prompt, also of one that somebody went back behind, or of a rewind. */
export function findCheckpoint(records: Records, uuid: string): FoundCheckpoint | undefined {
  const index = records.findIndex((record) => 'uuid' in record && record.uuid === uuid);
  const record = records[index];
  if (record?.type === 'rewind') return pointOfRewind(records, record, index);
  if (!record || !isMessage(record) || !isPrompt(record)) return undefined;
  // The copy that a compaction made stands for the prompt itself.
  if (record.copyOf !== undefined) return findCheckpoint(records, record.copyOf);
  const prompt = textOf(typedBlocks(record.message.content));
  const text = visibleLine(prompt.trim().split('\n', 1)[0] ?? '', mostCharacters) || '(no text)';
  return { uuid, kind: 'prompt', at: record.timestamp, text, prompt, index, head: record.parentUuid };
}

function pointOfRewind(records: Records, record: RewindRecord, index: number): FoundCheckpoint {
  const { uuid, timestamp: at, to, from: head } = record;
  const target = to === uuid ? undefined : findCheckpoint(records.slice(0, index), to);
  const text = target ? `before going back to: ${target.text}` : 'before going back';
  return { uuid, kind: 'rewind', at, text: visibleLine(text, mostCharacters), prompt: '', index, head };
}

/** Every message that counts, also from before compactions. */
export function conversationIn(records: Records): MessageRecord[] {
  return lineageOf(records, chainIn(records));
}

/** The messages that the agent goes on from. */
export function chainIn(records: Records): MessageRecord[] {
  return followChain(untilHead(records, withoutUnfinished(records)).messages).messages;
}

function isPrompt(record: MessageRecord): record is UserRecord {
  return record.type === 'user' && record.origin.kind === 'human';
}

/** How many files are other now than before each record. */
function changedFrom(records: Records): number[] {
  const now = new Map<string, FileLook | undefined>();
  const changed = new Set<string>();
  const counts: number[] = new Array(records.length).fill(0);
  for (let index = records.length - 1; index >= 0; index--) {
    const record = records[index];
    if (record?.type === 'file-history') {
      if (!now.has(record.path)) now.set(record.path, lookAfter(record));
      const last = now.get(record.path);
      if (last && isSameLook(lookBefore(record), last)) changed.delete(record.path);
      else changed.add(record.path);
    }
    counts[index] = changed.size;
  }
  return counts;
}
