import { readJsonlTail } from '../../lib/jsonl/jsonl.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { AssistantRecord } from '../../protocol/index.ts';
import { checkRecord } from '../../store/check-record.ts';

const maxActivities = 5;
const tailBytes = 256 * 1024;

/** An agent's last actions, from the end of its transcript: the process that runs it writes them nowhere else. */
export function lastActivities(transcript: string): string[] {
  const tail = readJsonlTail(transcript, () => false, tailBytes);
  if (!tail.ok) return [];
  return tail.value.records
    .flatMap((found) => {
      const checked = checkRecord(found);
      return checked.kind === 'good' && checked.record.type === 'assistant' ? [checked.record] : [];
    })
    .flatMap(listActivities)
    .slice(-maxActivities);
}

function listActivities({ message }: AssistantRecord): string[] {
  return message.content.flatMap((block) =>
    block.type === 'tool_use' ? [visibleLine(`${block.name} ${JSON.stringify(block.input)}`, 160)] : [],
  );
}
