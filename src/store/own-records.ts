import { failure, ok, type Result } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { MessageRecord, TaskRecord } from '../protocol/record.ts';
import { isMessage } from './lineage.ts';
import type { LoadedTranscript } from './transcript.ts';

type Records = readonly LoadedTranscript['records'][number][];

/**
 * The records of one agent's transcript, without messages of other agents, which are named. Fails where most messages are another's:
 * the file was swapped, and continuing it would be continuing another conversation. `owner`: null is the lead.
 */
export function pickOwn(
  path: string,
  records: Records,
  owner: string | null,
): Result<{ records: LoadedTranscript['records']; foreign: string[] }> {
  const messages = records.filter(isMessage);
  const foreign = new Set(messages.filter(({ agentId = null }) => agentId !== owner));
  const [first] = foreign;
  if (first && foreign.size * 2 > messages.length)
    return failure(
      `${path} holds the conversation of ${nameAgent(first)}, not that of ${nameAgent({ agentId: owner ?? undefined })}.`,
      'Transcripts were swapped or overwritten: put the right file back.',
    );
  return ok({
    records: records.filter((record) => !isMessage(record) || !foreign.has(record)),
    foreign: [...foreign].map((record) => `message ${record.uuid} is of ${nameAgent(record)}, and left out`),
  });
}

function nameAgent({ agentId }: Pick<MessageRecord, 'agentId'> | { agentId: string | undefined }): string {
  return agentId === undefined ? 'the lead' : `the agent ${visibleLine(agentId, 64)}`;
}

/**
 * Each message once, in the order of their links, where the file has one before the message that it follows: lines were moved. Those
 * whose links say nothing keep the order of their times.
 */
export function putInOrder(found: Records): { records: LoadedTranscript['records']; moved: string[] } {
  const { records, repeated } = withoutRepeated(found);
  const messages = records.filter(isMessage);
  const places = new Map(messages.map(({ uuid }, index) => [uuid, index]));
  const early = messages.find(
    ({ parentUuid }, index) => parentUuid !== null && (places.get(parentUuid) ?? 0) > index,
  );
  if (!early) return { records, moved: repeated };
  const sorted = sortByLinks(messages);
  const next = sorted.values();
  const ordered: LoadedTranscript['records'] = [];
  for (const record of records) {
    const put = isMessage(record) ? next.next().value : record;
    if (put) ordered.push(put);
  }
  return {
    records: ordered,
    moved: [
      ...repeated,
      `message ${early.uuid} comes before ${early.parentUuid}, which it follows; messages were put in order`,
    ],
  };
}

/** A copy behind later messages would be taken for the end of the conversation. */
function withoutRepeated(found: Records): { records: LoadedTranscript['records']; repeated: string[] } {
  const seen = new Set<string>();
  const repeated: string[] = [];
  const records = found.filter((record) => {
    if (!isMessage(record) || !seen.has(record.uuid)) {
      if (isMessage(record)) seen.add(record.uuid);
      return true;
    }
    repeated.push(`message ${record.uuid} is in the file a second time, and left out`);
    return false;
  });
  return { records, repeated };
}

/** Each after the one that it follows. */
function sortByLinks(messages: readonly MessageRecord[]): MessageRecord[] {
  const byUuid = new Map(messages.map((record) => [record.uuid, record]));
  const sorted = new Set<MessageRecord>();
  const byTime = [...byUuid.values()].sort((one, other) => compare(one.timestamp, other.timestamp));
  for (const record of byTime) {
    const way: MessageRecord[] = [];
    let at: MessageRecord | undefined = record;
    while (at && !sorted.has(at) && !way.includes(at)) {
      way.push(at);
      at = at.parentUuid === null ? undefined : byUuid.get(at.parentUuid);
    }
    for (const one of way.reverse()) sorted.add(one);
  }
  return [...sorted];
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A run has one end: a state without one that comes after it is an earlier record that is in the file twice. */
export function noteNewest(newest: Map<string, TaskRecord>, key: string, record: TaskRecord): void {
  const known = newest.get(key);
  if (known?.end && !record.end && known.task.runId === record.task.runId) return;
  newest.set(key, record);
}
