import { withoutUnfinished } from '../agents/fork-messages.ts';
import { timestamp } from '../lib/clock.ts';
import type { MessageRecord } from '../protocol/index.ts';
import type { Identity } from './identity.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

/** A conversation that a program hands in, as records of this session. */
export function inheritedRecords({
  options,
  identity,
  place,
}: {
  options: SessionOptions;
  identity: Identity;
  place: Surroundings;
}): MessageRecord[] {
  let parentUuid: string | null = null;
  const records = (options.inherited ?? []).map((message): MessageRecord => {
    const base = {
      uuid: place.ids.uuid(),
      parentUuid,
      sessionId: identity.id,
      timestamp: timestamp(place.clock),
      isSidechain: false,
    };
    parentUuid = base.uuid;
    return message.role === 'user'
      ? { type: 'user', message, origin: { kind: 'harness' }, ...base }
      : { type: 'assistant', message, ...base };
  });
  return withoutUnfinished(records);
}
