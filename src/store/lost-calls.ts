import { textOf, toolUses } from '../protocol/message.ts';
import type { LoadedTranscript } from './transcript.ts';

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
  return `A part of this conversation was lost: the file that it is kept in was damaged. These calls had begun, and what they were is not known any more: ${ids.map(formatLost).join('; ')}. They were not run again. Check what was done before you repeat anything.`;
}

function formatLost(id: string): string {
  return `${id}: interrupted, result unknown`;
}
