import type { Ids } from '../lib/ids.ts';
import type { AgentEvent, MessageRecord, TaskView } from '../protocol/index.ts';

type Added = Extract<AgentEvent, { type: 'message_added' }>;

export interface MessageFrameOptions {
  sessionId: string;
  ids: Ids;
  replayUserMessages: boolean;
  /** For an agent also its thinking, its text and its letters; otherwise only its tool calls and their results. */
  forwardSubagentText: boolean;
  /** The agent's own task, if it is an agent's message. */
  task: TaskView | undefined;
}

/** A message as frames: one for each block of an answer, one for anything else. */
export function messageFrames(event: Added, options: MessageFrameOptions): object[] {
  const { record, agentId } = event;
  const isWhole = agentId === null || options.forwardSubagentText;
  const common = { ...describeSender(event, options.task), session_id: options.sessionId };
  if (record.type === 'assistant') return assistantFrames(record, common, isWhole, options.ids);
  const isPrompt = record.origin.kind === 'human';
  if (isPrompt && !options.replayUserMessages) return [];
  const content = isWhole
    ? record.message.content
    : record.message.content.filter((block) => block.type === 'tool_result');
  if (content.length === 0) return [];
  return [
    {
      type: 'user',
      message: { ...record.message, content },
      ...common,
      uuid: record.uuid,
      tool_use_result: event.toolData,
      isReplay: isPrompt || undefined,
      ...(record.origin.kind === 'task-notification' || record.origin.kind === 'task-event'
        ? { isSynthetic: true, origin: record.origin }
        : {}),
    },
  ];
}

function describeSender({ record, agentId, parentToolUseId }: Added, task: TaskView | undefined): object {
  return {
    parent_tool_use_id: parentToolUseId,
    timestamp: record.timestamp,
    agent_id: agentId ?? undefined,
    ...(task?.agent ? { subagent_type: task.agent.type, task_description: task.description } : {}),
  };
}

/** The frames of one answer share its message id. */
function assistantFrames(
  record: Extract<MessageRecord, { type: 'assistant' }>,
  common: object,
  isWhole: boolean,
  ids: Ids,
): object[] {
  const { content, ...message } = record.message;
  const shown = isWhole ? content : content.filter((block) => block.type === 'tool_use');
  return shown.map((block, index) => ({
    type: 'assistant',
    message: { ...message, type: 'message', content: [block], stop_reason: null, stop_sequence: null },
    ...common,
    uuid: index === 0 ? record.uuid : ids.uuid(),
  }));
}
