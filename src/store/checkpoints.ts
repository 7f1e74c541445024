import { visibleLine } from '../lib/text/text.ts';
import { typedBlocks } from '../protocol/additions.ts';
import { textOf } from '../protocol/message.ts';
import type { MessageRecord, RewindRecord, UserRecord } from '../protocol/record.ts';
import { followChain } from './chain.ts';
import { type FileLook, isSameLook, lookAfter, lookBefore } from './files/file-look.ts';
import { followLineage, isMessage, untilHead, withoutUnfinished } from './lineage.ts';
import type { LoadedTranscript } from './transcript.ts';

type Records = LoadedTranscript['records'];

/** A point to rewind to. */
export interface Checkpoint {
  /** The uuid of the prompt or of the rewind. */
  uuid: string;
  /** `rewind`: the state before a rewind, so that the rewind can be undone. */
  kind: 'prompt' | 'rewind';
  /** ISO 8601. */
  at: string;
  /** The first line of the prompt. */
  text: string;
  /** Files that differ from that point, by any known change. */
  filesChanged: number;
  /** Commands that may have changed files since. */
  commands: number;
  /** More changed than is known, such as ignored files. */
  isAtLeast: boolean;
}

/** A point found in a transcript. */
export interface FoundCheckpoint extends Pick<Checkpoint, 'uuid' | 'kind' | 'at' | 'text'> {
  /** The first record after it. */
  index: number;
  /** The last message of the conversation at that time. */
  head: string | null;
  /** The whole prompt. */
  prompt: string;
}

const maxCharacters = 120;

/**
 * The prompts of the current conversation and the state before the last rewind, oldest first. Until the next prompt also the
 * target of that rewind: a user who repeats it, by force or after a file could not be written, finds it under the same
 * number.
 */
export function readCheckpoints(records: Records): Checkpoint[] {
  const changed = listChanged(records);
  const prompts = readConversation(records).filter(
    (record) => isPrompt(record) && record.copyOf === undefined,
  );
  const points = new Set([
    ...prompts.map(({ uuid }) => uuid),
    ...findLastRewind(records),
    ...findLastGoal(records),
  ]);
  return [...points]
    .flatMap((uuid) => findCheckpoint(records, uuid) ?? [])
    .toSorted((a, b) => a.index - b.index)
    .map(({ uuid, kind, at, text, index }) => ({ uuid, kind, at, text, ...(changed[index] ?? nothing) }));
}

/** In a few words, for a list. A prompt whose commands may have changed files is never described as having changed none. */
export function describeFilesChanged({
  filesChanged,
  commands,
  isAtLeast,
}: Pick<Checkpoint, 'filesChanged' | 'commands' | 'isAtLeast'>): string {
  if (filesChanged === 0) return isAtLeast ? 'some files' : commands > 0 ? 'none found' : 'no files';
  if (isAtLeast) return `${filesChanged}+ files`;
  return filesChanged === 1 ? '1 file' : `${filesChanged} files`;
}

/** The last rewind; for a repeated one, its first start. */
function findLastRewind(records: Records): string[] {
  let last: RewindRecord | undefined;
  let isSaid = false;
  for (const record of records) {
    if (isMessage(record) && isPrompt(record)) isSaid = true;
    if (record.type !== 'rewind' || record.isDone) continue;
    if (last?.to !== record.to || isSaid) last = record;
    isSaid = false;
  }
  return last ? [last.uuid] : [];
}

function findLastGoal(records: Records): string[] {
  const index = records.findLastIndex((record) => record.type === 'rewind');
  const last = records[index];
  const isOver = records.slice(index).some((record) => isMessage(record) && isPrompt(record));
  if (last?.type !== 'rewind' || isOver) return [];
  return [findCheckpoint(records, last.to)?.uuid ?? last.to];
}

/** By the uuid of a prompt, including one that was rewound, or of a rewind. */
export function findCheckpoint(records: Records, uuid: string): FoundCheckpoint | undefined {
  const index = records.findIndex((record) => 'uuid' in record && record.uuid === uuid);
  const record = records[index];
  if (record?.type === 'rewind') return buildRewindPoint(records, record, index);
  if (!record || !isMessage(record) || !isPrompt(record)) return undefined;
  // The copy made by a compaction represents the prompt itself.
  if (record.copyOf !== undefined) return findCheckpoint(records, record.copyOf);
  const prompt = textOf(typedBlocks(record.message.content));
  const text = visibleLine(prompt.trim().split('\n', 1)[0] ?? '', maxCharacters) || '(no text)';
  return { uuid, kind: 'prompt', at: record.timestamp, text, prompt, index, head: record.parentUuid };
}

function buildRewindPoint(records: Records, record: RewindRecord, index: number): FoundCheckpoint {
  const { uuid, timestamp: at, to, from: head } = record;
  const text = visibleLine(formatRewind(records.slice(0, index), to), maxCharacters);
  return { uuid, kind: 'rewind', at, text, prompt: '', index, head };
}

function formatRewind(earlier: Records, to: string): string {
  // A rewind that is undone repeatedly would list everything each time.
  if (earlier.some((record) => record.type === 'rewind' && record.uuid === to))
    return 'before a rewind was undone';
  const target = findCheckpoint(earlier, to);
  return target ? `before rewinding to: ${target.text}` : 'before rewinding';
}

/** Every message of the current conversation, also from before compactions. */
export function readConversation(records: Records): MessageRecord[] {
  return followLineage(records, readChain(records));
}

/** The messages that the agent continues from. */
export function readChain(records: Records): MessageRecord[] {
  return followChain(untilHead(records, withoutUnfinished(records)).messages).messages;
}

function isPrompt(record: MessageRecord): record is UserRecord {
  return record.type === 'user' && record.origin.kind === 'human';
}

type Changed = Pick<Checkpoint, 'filesChanged' | 'commands' | 'isAtLeast'>;

const nothing: Changed = { filesChanged: 0, commands: 0, isAtLeast: false };

/** Differences between now and the state before each record. */
function listChanged(records: Records): Changed[] {
  const now = new Map<string, FileLook | undefined>();
  const changed = new Set<string>();
  const counts: Changed[] = new Array(records.length).fill(nothing);
  let commands = 0;
  let isAtLeast = false;
  for (let index = records.length - 1; index >= 0; index--) {
    const record = records[index];
    if (record?.type === 'command-files') {
      commands++;
      isAtLeast ||= [record.uncovered, record.unseen, record.lost].some((gap) => gap !== undefined);
    }
    if (record?.type === 'file-history') {
      if (!now.has(record.path)) now.set(record.path, lookAfter(record));
      const last = now.get(record.path);
      if (last && isSameLook(lookBefore(record), last)) changed.delete(record.path);
      else changed.add(record.path);
    }
    counts[index] = { filesChanged: changed.size, commands, isAtLeast };
  }
  return counts;
}
