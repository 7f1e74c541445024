import type { Ids } from '../lib/ids.ts';
import { version } from '../lib/version.ts';
import { defaultAttempts } from '../models/pacer/with-pacer.ts';
import type { AgentEvent, MessageRecord, Outcome } from '../protocol/index.ts';
import { ResultTotals } from './result-totals.ts';
import { streamEventsOf } from './stream-events.ts';

export interface FrameOptions {
  includePartialMessages: boolean;
  replayUserMessages: boolean;
}

type Of<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

/** Turns events into the frames of the wire (`docs/formats.md`). Holds only what a result frame adds up. */
export class Frames {
  readonly #totals = new ResultTotals();

  constructor(
    private readonly sessionId: string,
    private readonly ids: Ids,
    private readonly options: FrameOptions,
  ) {}

  of(event: AgentEvent): object[] {
    switch (event.type) {
      case 'run_started':
        return [this.#init(event)];
      case 'model_streamed':
        return this.options.includePartialMessages ? this.#partial(event) : [];
      case 'message_added':
        return this.#message(event);
      case 'permission_denied':
        this.#totals.deny(event);
        return [];
      case 'request_retried':
        return [this.#system('api_retry', retryFields(event))];
      case 'request_waited':
        return [
          this.#system('informational', {
            content: event.reason,
            level: 'info',
            wait_ms: Math.round(event.delayMs),
          }),
        ];
      case 'fallback_taken':
        return [
          this.#system('informational', {
            content: `${event.to} answers instead of ${event.from}: ${event.reason}`,
            level: 'warning',
          }),
        ];
      case 'state_changed':
        return [this.#system('session_state_changed', { state: event.state })];
      case 'mode_changed':
        return [this.#system('status', { status: null, permissionMode: event.permissionMode })];
      case 'compaction_started':
        return [this.#system('status', { status: 'compacting' })];
      case 'conversation_compacted':
        return [this.#system('compact_boundary', { compact_metadata: compactFields(event) })];
      case 'notice_given':
        return [this.#system('informational', { content: event.text, level: event.level })];
      case 'run_ended':
        return event.agentId === null ? [this.result(event)] : [];
      default:
        return [];
    }
  }

  result(event: Of<'run_ended'>): object {
    return this.#frame({
      type: 'result',
      ...resultFields(event),
      ...this.#totals.take(event.outcome, event.cost ?? { totalMicroUsd: null, rows: [] }),
    });
  }

  #init(event: Of<'run_started'>): object {
    return this.#system('init', {
      apiKeySource: 'none',
      claude_code_version: version,
      cadre_version: version,
      cwd: event.cwd,
      tools: event.tools,
      mcp_servers: event.mcpServers ?? [],
      model: event.model,
      permissionMode: event.permissionMode,
      slash_commands: [],
      output_style: 'default',
      skills: [],
      plugins: [],
      agents: [],
    });
  }

  #partial(event: Of<'model_streamed'>): object[] {
    return streamEventsOf(event.event).map((inner) =>
      this.#frame({ type: 'stream_event', event: inner, parent_tool_use_id: event.parentToolUseId }),
    );
  }

  #message({ record, toolData, parentToolUseId }: Of<'message_added'>): object[] {
    const common = {
      parent_tool_use_id: parentToolUseId,
      timestamp: record.timestamp,
      session_id: this.sessionId,
    };
    if (record.type === 'assistant') return assistantFrames(record, common, this.ids);
    if (record.origin.kind === 'human' && !this.options.replayUserMessages) return [];
    return [
      {
        type: 'user',
        message: record.message,
        ...common,
        uuid: record.uuid,
        ...(toolData === undefined ? {} : { tool_use_result: toolData }),
        ...(record.origin.kind === 'human' ? { isReplay: true } : {}),
        ...(record.origin.kind === 'task-notification' || record.origin.kind === 'task-event'
          ? { isSynthetic: true, origin: record.origin }
          : {}),
      },
    ];
  }

  #system(subtype: string, fields: object): object {
    return this.#frame({ type: 'system', subtype, ...fields });
  }

  #frame(fields: object): object {
    return { ...fields, uuid: this.ids.uuid(), session_id: this.sessionId };
  }
}

/** One content block per frame; the frames of one answer share its message id. */
function assistantFrames(
  record: Extract<MessageRecord, { type: 'assistant' }>,
  common: object,
  ids: Ids,
): object[] {
  const { content, ...message } = record.message;
  return content.map((block, index) => ({
    type: 'assistant',
    message: { ...message, type: 'message', content: [block], stop_reason: null, stop_sequence: null },
    ...common,
    uuid: index === 0 ? record.uuid : ids.uuid(),
  }));
}

function compactFields({
  trigger,
  preTokens,
  postTokens,
  durationMs,
  boundary,
}: Of<'conversation_compacted'>) {
  return {
    trigger,
    pre_tokens: preTokens,
    post_tokens: postTokens,
    duration_ms: Math.round(durationMs),
    preserved_messages: { anchor_uuid: boundary.summaryUuid, uuids: boundary.keptUuids },
  };
}

function retryFields({ attempt, delayMs, failure }: Of<'request_retried'>) {
  return {
    attempt,
    // A limit is waited for as long as it takes.
    max_retries:
      failure.kind === 'rate_limited' || failure.kind === 'overloaded' ? null : defaultAttempts - 1,
    retry_delay_ms: delayMs,
    error_status: failure.status ?? null,
    error: failure.message,
  };
}

function resultFields({ outcome, durationMs, modelMs }: Of<'run_ended'>) {
  return {
    ...subtypeOf(outcome),
    duration_ms: Math.round(durationMs),
    duration_api_ms: Math.round(modelMs),
    num_turns: outcome.turns,
    outcome: outcome.kind,
    result: outcome.text || (outcome.output === undefined ? '' : JSON.stringify(outcome.output)),
    ...(outcome.output === undefined ? {} : { structured_output: outcome.output }),
    stop_reason:
      outcome.kind === 'truncated' ? 'max_tokens' : outcome.kind === 'completed' ? 'end_turn' : null,
    usage: outcome.usage,
  };
}

function subtypeOf(outcome: Outcome) {
  if (outcome.kind === 'completed') return { subtype: 'success', is_error: false };
  const subtype = outcome.outputMissing
    ? 'error_max_structured_output_retries'
    : outcome.kind === 'out_of_turns'
      ? 'error_max_turns'
      : outcome.kind === 'out_of_budget'
        ? 'error_max_budget_usd'
        : 'error_during_execution';
  return { subtype, is_error: true, errors: [outcome.reason ?? outcome.kind] };
}
