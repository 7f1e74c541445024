import { type Clock, timestamp } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { MessageRecord } from '../protocol/record.ts';

/**
 * Damage can take away a whole message. A model's answer then follows another, or stands first, which providers refuse:
 * a word of the harness's own stands where the lost one was. Made anew on each load; the file stays as it is.
 */
export function fillGaps(
  messages: readonly MessageRecord[],
  clock: Clock,
  ids: Pick<Ids, 'uuid'>,
): MessageRecord[] {
  return messages.flatMap((record, index) => {
    const before = messages[index - 1];
    const isGap = record.type === 'assistant' && before?.type !== 'user';
    return isGap ? [lostMessage(record, clock, ids), record] : [record];
  });
}

function lostMessage(after: MessageRecord, clock: Clock, ids: Pick<Ids, 'uuid'>): MessageRecord {
  const text = '[A message that stood here was lost: its record in the transcript is damaged.]';
  return {
    type: 'user',
    message: { role: 'user', content: [{ type: 'text', text }] },
    origin: { kind: 'harness' },
    uuid: ids.uuid(),
    parentUuid: after.parentUuid,
    sessionId: after.sessionId,
    timestamp: timestamp(clock),
    isSidechain: after.isSidechain,
    ...(after.agentId === undefined ? {} : { agentId: after.agentId }),
  };
}
