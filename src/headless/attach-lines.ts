import { visibleLine, visibleProse } from '../lib/text/text.ts';
import { type AgentEvent, type MessageRecord, type TranscriptRecord, textOf } from '../protocol/index.ts';

/** The newest messages of a conversation, as lines. */
export function listEarlierLines(records: readonly TranscriptRecord[], most: number): string[] {
  return records
    .flatMap((record) => (record.type === 'user' || record.type === 'assistant' ? [record] : []))
    .slice(-most)
    .flatMap((record) => formatMessage(record) ?? []);
}

/** An event as a line for a reader without a screen; undefined for one that says nothing new. */
export function formatAttached(event: AgentEvent, sessionId: string): string | undefined {
  const line = formatEvent(event, sessionId);
  if (line === undefined || event.agentId === null) return line;
  return `[${event.agentId}] ${line}`;
}

function formatEvent(event: AgentEvent, sessionId: string): string | undefined {
  switch (event.type) {
    case 'message_added':
      return formatMessage(event.record);
    case 'tool_started':
      return `  ${event.toolName} ${visibleLine(event.summary, 200)}`.trimEnd();
    case 'question_asked':
      return `? ${visibleLine(event.question.summary, 300)} (answer it: cadre attach ${sessionId})`;
    case 'task_changed':
      return `  ${event.task.id} ${event.task.status}: ${visibleLine(event.task.description, 200)}`;
    case 'notice_given':
      return event.level === 'debug' ? undefined : `! ${visibleProse(event.text)}`;
    case 'run_ended':
      return event.outcome.kind === 'completed' || event.outcome.reason === undefined
        ? undefined
        : `! ${visibleProse(event.outcome.reason)}`;
    default:
      return undefined;
  }
}

function formatMessage(record: MessageRecord): string | undefined {
  const text = visibleProse(textOf(record.message.content)).trim();
  if (text === '') return undefined;
  if (record.type === 'assistant') return text;
  return record.origin.kind === 'human' ? `> ${text}` : undefined;
}
