import { toolUses } from '../protocol/message.ts';
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
