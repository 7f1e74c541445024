import { type TranscriptRecord, textOf, toolUses } from '../../protocol/index.ts';
import type { ShownCall } from '../../view/index.ts';

/** What a call was given and returned, as stored. */
export interface FullCall {
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: string | undefined;
}

/** In characters. A tool keeps longer output in a file, and its result names it. */
const maxShown = 500_000;

/** Finds the stored calls of a conversation; a view holds only the ends of long ones. */
export function indexCalls(records: readonly TranscriptRecord[]): (call: ShownCall) => FullCall | undefined {
  const found = new Map<string, FullCall>();
  /** By the id alone: a result belongs to the call before it. */
  const open = new Map<string, string>();
  for (const record of records) {
    if (record.type === 'assistant')
      for (const { id, input } of toolUses(record.message)) {
        const key = `${record.uuid}:${id}`;
        found.set(key, { input: input as Record<string, unknown>, result: undefined });
        open.set(id, key);
      }
    if (record.type !== 'user') continue;
    for (const block of record.message.content) {
      const key = block.type === 'tool_result' ? open.get(block.tool_use_id) : undefined;
      const call = key === undefined ? undefined : found.get(key);
      if (block.type !== 'tool_result' || key === undefined || !call) continue;
      found.set(key, { ...call, result: textOf(block.content).slice(0, maxShown) });
    }
  }
  return ({ messageUuid, id }) => found.get(`${messageUuid}:${id}`);
}
