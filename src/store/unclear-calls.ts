import { textOf, toolUses } from '../protocol/message.ts';
import type { MessageRecord } from '../protocol/record.ts';
import { isMessage } from './lineage.ts';
import type { LoadedTranscript } from './transcript.ts';

/**
 * Tells messages whose calls may have begun although no record says so: between the message and the next one of the model something
 * could not be read, or a call or a result is recorded that no message has (one of the two ids is damaged).
 */
export function findDoubtful(loaded: LoadedTranscript): (message: MessageRecord) => boolean {
  const { records, unreadAfter } = loaded;
  const calls = new Set(
    records.flatMap((record) =>
      record.type === 'assistant' ? toolUses(record.message).map(({ id }) => id) : [],
    ),
  );
  return (message) => {
    const from = records.indexOf(message);
    if (from < 0) return false;
    for (const record of records.slice(from)) {
      if (record !== message && record.type === 'assistant') return false;
      if (unreadAfter?.has(record) || isOrphan(record, calls)) return true;
    }
    return false;
  };
}

function isOrphan(record: LoadedTranscript['records'][number], calls: ReadonlySet<string>): boolean {
  if (record.type === 'call-begun') return !calls.has(record.toolUseId);
  if (!isMessage(record) || record.type !== 'user') return false;
  return record.message.content.some(
    (block) => block.type === 'tool_result' && !calls.has(block.tool_use_id),
  );
}

/**
 * Calls that had begun and whose message is missing: its line is damaged or gone. What they were is unknown: the one who made them
 * has to look before it does anything again. Those that were told before are left out.
 */
export function findLostCalls({ records, isPartial }: LoadedTranscript): string[] {
  if (isPartial) return [];
  const known = new Set<string>();
  const begun: string[] = [];
  const told: string[] = [];
  for (const record of records)
    if (record.type === 'call-begun') begun.push(record.toolUseId);
    else if (record.type === 'assistant') for (const { id } of toolUses(record.message)) known.add(id);
    else if (record.type === 'user' && record.origin.kind === 'harness')
      told.push(textOf(record.message.content));
  return begun.filter((id) => !known.has(id) && !told.some((text) => text.includes(formatLost(id))));
}

/** For the model. */
export function describeLostCalls(ids: readonly string[]): string {
  return `A part of this conversation was lost: the file that it is kept in was damaged. These calls had begun, and what they were is no longer known: ${ids.map(formatLost).join('; ')}. They were not run again. Check what was done before you repeat anything.`;
}

function formatLost(id: string): string {
  return `${id}: interrupted, result unknown`;
}
