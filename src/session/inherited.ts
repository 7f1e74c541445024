import { withoutUnfinished } from '../agents/fork-messages.ts';
import { timestamp } from '../lib/clock.ts';
import type { MessageRecord } from '../protocol/index.ts';
import type { Settled } from './settled.ts';

/** A conversation that a program hands in, as records of this session. */
export function inheritedRecords({ options, identity, around }: Settled): MessageRecord[] {
  let parentUuid: string | null = null;
  const records = (options.inherited ?? []).map((message): MessageRecord => {
    const base = {
      uuid: around.ids.uuid(),
      parentUuid,
      sessionId: identity.id,
      timestamp: timestamp(around.clock),
      isSidechain: false,
    };
    parentUuid = base.uuid;
    return message.role === 'user'
      ? { type: 'user', message, origin: { kind: 'harness' }, ...base }
      : { type: 'assistant', message, ...base };
  });
  return withoutUnfinished(records);
}
