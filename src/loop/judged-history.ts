import { typedBlocks, typedText } from '../protocol/additions.ts';
import type { JudgedItem, MessageRecord } from '../protocol/index.ts';

/**
 * The parts of a conversation that a judge may see: what the user typed and what the agent called. No tool results, no
 * text of the model, no summary, no notification, and nothing that was added to a prompt (files named with `@`, the
 * text of a command or skill, piped input, output of the user's own shell): each of them may repeat text that another
 * author wrote.
 */
export function judgedHistory(records: readonly MessageRecord[], exceptToolUseId?: string): JudgedItem[] {
  return records.flatMap((record): JudgedItem[] => {
    if (record.type === 'assistant')
      return record.message.content.flatMap((block) =>
        block.type === 'tool_use' && block.id !== exceptToolUseId
          ? [{ kind: 'call' as const, tool: block.name, input: block.input }]
          : [],
      );
    if (record.origin.kind === 'compaction')
      return record.origin.carried.prompts.map((text) => ({ kind: 'user' as const, text: typedText(text) }));
    if (record.origin.kind !== 'human') return [];
    return typedBlocks(record.message.content).flatMap((block) =>
      block.type === 'text' ? [{ kind: 'user' as const, text: block.text }] : [],
    );
  });
}
