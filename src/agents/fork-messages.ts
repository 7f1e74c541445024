import { escapeHarnessTags } from '../lib/text/harness-tags.ts';
import { type MessageRecord, type ToolResultBlock, toolUses, type UserBlock } from '../protocol/index.ts';

/** Marks a fork's history, where only the harness can put it: a fork that sees it does not fork. */
const forkTag = '<cadre-fork>';

/** The same for every call and every sibling, so that their requests differ only in the directive. */
const placeholder = 'Handed over to forks of this conversation.';

const introduction = `${forkTag}
From here on you are a fork: a copy of the agent above, with its own task. You know the conversation so far, but do not continue it. Do only the task below, without asking questions and without starting agents; then report what you did and found, in a few sentences.
</cadre-fork>`;

export interface ForkStart {
  /** The parent's own records, up to and including the message that forked. */
  inherited: MessageRecord[];
  /** The only message of the fork's own: a result for every call, followed by the directive. */
  content: UserBlock[];
}

/**
 * A fork's first messages. Undefined when the call is not in the parent's history, which is an error: nothing is
 * rendered again.
 */
export function forkMessages(
  records: readonly MessageRecord[],
  toolUseId: string,
  directive: string,
): ForkStart | undefined {
  const at = records.findLastIndex(
    (record) => record.type === 'assistant' && toolUses(record.message).some((call) => call.id === toolUseId),
  );
  const caller = records[at];
  if (caller?.type !== 'assistant') return undefined;
  const results = toolUses(caller.message).map(
    (call): ToolResultBlock => ({
      type: 'tool_result',
      tool_use_id: call.id,
      content: [{ type: 'text', text: placeholder }],
    }),
  );
  return {
    inherited: [...withoutUnfinished(records.slice(0, at)), caller],
    content: [...results, { type: 'text', text: `${introduction}\n\n${escapeHarnessTags(directive)}` }],
  };
}

/** True for a fork's conversation, however much of it a compaction left. */
export function isForked(records: readonly MessageRecord[]): boolean {
  return records.some(
    (record) =>
      record.type === 'user' &&
      record.origin.kind === 'delegation' &&
      record.message.content.some((block) => block.type === 'text' && block.text.startsWith(forkTag)),
  );
}

/** Calls of earlier messages that never got a result would be refused by any provider. */
export function withoutUnfinished(records: readonly MessageRecord[]): MessageRecord[] {
  const answered = new Set(
    records.flatMap(({ type, message }) =>
      type === 'user'
        ? message.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
        : [],
    ),
  );
  return records.map((record) => {
    if (record.type !== 'assistant') return record;
    const content = record.message.content.filter(
      (block) => block.type !== 'tool_use' || answered.has(block.id),
    );
    return content.length === record.message.content.length
      ? record
      : { ...record, message: { ...record.message, content } };
  });
}
