import { type ToolUseBlock, toolUses, type UserBlock } from '../protocol/message.ts';
import type { MessageRecord, UserRecord } from '../protocol/record.ts';

type Answer = (calls: ToolUseBlock[], after: MessageRecord) => UserRecord;

export interface Paired {
  messages: MessageRecord[];
  interrupted: ToolUseBlock[];
  /** The answer that was added at the very end, so it can be appended to the file. */
  atEnd?: UserRecord;
  broken: string[];
}

/**
 * Makes calls and results match, as every provider requires: a call without a result is answered where its result belongs; a
 * result without a call, or a second one, is left out.
 */
export function pairResults(messages: readonly MessageRecord[], answer: Answer): Paired {
  const paired: Paired = { messages: [], interrupted: [], broken: [] };
  let open = new Map<string, ToolUseBlock>();

  const answerOpen = (): UserRecord | undefined => {
    const after = paired.messages.at(-1);
    if (open.size === 0 || !after) return undefined;
    const answered = answer([...open.values()], after);
    paired.interrupted.push(...open.values());
    paired.messages.push(answered);
    open = new Map();
    return answered;
  };

  for (const record of messages) {
    if (record.type === 'assistant') {
      answerOpen();
      paired.messages.push(record);
      open = new Map(toolUses(record.message).map((call) => [call.id, call]));
      continue;
    }
    const content = matching(record, open, paired.broken);
    if (content.length === 0 && record.message.content.length > 0) continue;
    // Results come before any other content for the model.
    if (content.some((block) => block.type !== 'tool_result')) answerOpen();
    const whole = content.length === record.message.content.length;
    paired.messages.push(whole ? record : { ...record, message: { ...record.message, content } });
  }
  const atEnd = answerOpen();
  return atEnd ? { ...paired, atEnd } : paired;
}

/** The blocks of a message without unexpected results; expected ones are removed from `open`. */
function matching(record: UserRecord, open: Map<string, ToolUseBlock>, broken: string[]): UserBlock[] {
  return record.message.content.filter((block) => {
    if (block.type !== 'tool_result' || open.delete(block.tool_use_id)) return true;
    broken.push(
      `message ${record.uuid} has a result for ${block.tool_use_id}, a call that does not exist or already has a result`,
    );
    return false;
  });
}
