import type { Usage } from '../protocol/message.ts';
import { readRecords } from '../store/transcript.ts';

/** The usage of each answered request of an agent, from its transcript; undefined if that cannot be read. */
export async function readTranscriptRequests(path: string): Promise<Usage[] | undefined> {
  const requests: Usage[] = [];
  const read = await readRecords(path, (record) => {
    if (record.type === 'assistant') requests.push(record.message.usage);
  });
  return read.ok ? requests : undefined;
}
