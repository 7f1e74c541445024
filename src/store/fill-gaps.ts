import { type Clock, timestamp } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { MessageRecord } from '../protocol/record.ts';

/**
 * Damage can remove a whole message. A model's answer then follows another, or comes first, which providers refuse: a message
 * from the harness replaces the lost one. It is created again on each load; the file stays as it is.
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
  const text = '[A message was lost here: its record in the transcript is damaged.]';
  return {
    type: 'user',
    message: { role: 'user', content: [{ type: 'text', text }] },
    origin: { kind: 'harness' },
    uuid: ids.uuid(),
    parentUuid: after.parentUuid,
    sessionId: after.sessionId,
    timestamp: timestamp(clock),
    isSidechain: after.isSidechain,
    agentId: after.agentId,
  };
}
