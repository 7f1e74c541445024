import type { MessageRecord } from '../protocol/record.ts';

/**
 * Follows `parentUuid` from the last message back to the first. Where a link leads nowhere because the line was damaged, the
 * previous message in the file is used as its parent. A parent is always earlier in the file, so there are no cycles.
 */
export function followChain(stored: readonly MessageRecord[]): {
  messages: MessageRecord[];
  broken: string[];
} {
  const places = new Map(stored.map((record, index) => [record.uuid, index]));
  const messages: MessageRecord[] = [];
  const broken: string[] = [];
  for (let index = stored.length - 1; index >= 0; ) {
    const record = stored[index];
    if (!record) break;
    messages.push(record);
    if (record.parentUuid === null) break;
    const parent = places.get(record.parentUuid) ?? index;
    if (parent >= index) {
      broken.push(`message ${record.uuid} follows ${record.parentUuid}, which is missing`);
      index -= 1;
    } else {
      index = parent;
    }
  }
  return { messages: messages.reverse(), broken: broken.reverse() };
}
