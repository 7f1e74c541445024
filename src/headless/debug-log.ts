import { type Clock, timestamp } from '../lib/clock.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { AgentEvent } from '../protocol/index.ts';

/** The lines that `--debug` adds on stderr: one for every request, decision and end. Undefined for other events. */
export function debugLine(event: AgentEvent, clock: Clock): string | undefined {
  const text = describe(event);
  const who = event.agentId === null ? '' : `agent ${event.agentId}: `;
  return text === undefined ? undefined : `${timestamp(clock)} ${visibleLine(who + text, 500)}\n`;
}

function describe(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'run_started':
      return `run: model ${event.model}, mode ${event.permissionMode}, in ${event.cwd}, tools ${event.tools.join(' ')}`;
    case 'turn_started':
      return `turn ${event.turn}: asking the model`;
    case 'model_streamed':
      return describeAnswer(event.event);
    case 'tool_started':
      return `call ${event.toolUseId}: ${event.toolName} ${event.summary}`;
    case 'tool_ended':
      return `call ${event.toolUseId}: ${event.isError ? 'error' : 'ok'} after ${Math.round(event.durationMs)} ms`;
    case 'question_asked':
      return `question ${event.question.id}: ${event.question.toolName} (${event.question.decision.reason})`;
    case 'question_answered':
      return `question ${event.questionId}: ${event.behaviour}`;
    case 'permission_denied':
      return `call ${event.toolUseId}: ${event.toolName} denied by ${event.decision.by}: ${event.decision.reason}`;
    case 'task_changed':
      return `task ${event.task.id}: ${event.task.status} (${event.task.description})`;
    case 'notice_given':
      return event.level === 'debug' ? event.text : undefined;
    case 'state_changed':
      return `session: ${event.state}`;
    case 'run_ended':
      return `run: ${event.outcome.kind} after ${event.outcome.turns} turns${event.outcome.reason ? `: ${event.outcome.reason}` : ''}`;
    default:
      return undefined;
  }
}

function describeAnswer(event: Extract<AgentEvent, { type: 'model_streamed' }>['event']): string | undefined {
  if (event.type === 'response_failed') return `answer: ${event.failure.kind}: ${event.failure.message}`;
  if (event.type !== 'response_ended') return undefined;
  const { input_tokens, cache_read_input_tokens, output_tokens } = event.message.usage;
  return `answer: ${event.message.stop_reason}, ${input_tokens} + ${cache_read_input_tokens} cached tokens in, ${output_tokens} out`;
}
