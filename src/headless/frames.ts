import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { formatInstant } from '../lib/text/duration.ts';
import { version } from '../lib/version.ts';
import { countAttempts } from '../models/attempts.ts';
import type { AgentEvent, FileTouch, Outcome, Usage } from '../protocol/index.ts';
import type { SessionInfo } from '../session/session.ts';
import type { RunEnd } from '../workflows/run-types.ts';
import { hookFrame, isHookEvent } from './hook-frames.ts';
import { messageFrames } from './message-frames.ts';
import { ResultTotals } from './result-totals.ts';
import { buildStreamEvents } from './stream-events.ts';
import { type SystemBody, TaskFrames } from './task-frames.ts';
import { teamFrame } from './team-frames.ts';
import { workflowFrame, workflowResultFields } from './workflow-frames.ts';

export interface FrameOptions {
  includePartialMessages: boolean;
  replayUserMessages: boolean;
  includeHookEvents: boolean;
  forwardSubagentText: boolean;
  clock: Clock;
}

type Of<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

/** Turns events into the frames of the wire (`docs/formats.md`). Holds only what later frames build on. */
export class Frames {
  readonly #totals = new ResultTotals();
  readonly #tasks: TaskFrames;
  /** When each running call began. */
  readonly #startedAt = new Map<string, number>();

  constructor(
    private readonly info: Pick<SessionInfo, 'id' | 'agents'> &
      Partial<Pick<SessionInfo, 'mode' | 'scratchpad'>>,
    private readonly ids: Ids,
    private readonly options: FrameOptions,
  ) {
    this.#tasks = new TaskFrames(options.clock);
  }

  of(event: AgentEvent): object[] {
    if (isHookEvent(event)) return this.options.includeHookEvents ? [this.#hook(event)] : [];
    switch (event.type) {
      case 'message_added':
        return this.#message(event);
      case 'model_streamed':
        return this.#partial(event);
      case 'permission_denied':
        this.#totals.deny(event);
        return [];
      case 'task_changed':
        return this.#tasks.changed(event).map((body) => this.#system(body));
      case 'tool_started':
        this.#startedAt.set(event.toolUseId, this.options.clock.monotonic());
        return [];
      case 'tool_ended':
        this.#startedAt.delete(event.toolUseId);
        return [];
      case 'tool_progressed':
        return event.toolName.startsWith('mcp__') ? [this.#progress(event)] : [];
      case 'task_progressed':
        return this.#tasks.progressed(event).map((body) => this.#system(body));
      default:
        return event.agentId === null ? this.#ofLead(event) : this.#ofAgent(event);
    }
  }

  /** The set of background tasks, for a host that reconnects. */
  background(): object {
    return this.#system(this.#tasks.background());
  }

  #ofLead(event: AgentEvent): object[] {
    switch (event.type) {
      case 'run_started':
        this.#totals.noteModel(event);
        return [this.#init(event)];
      case 'state_changed':
        return [this.#system({ subtype: 'session_state_changed', state: event.state })];
      case 'mode_changed':
        return [this.#system({ subtype: 'status', status: null, permissionMode: event.permissionMode })];
      case 'compaction_started':
        return [this.#system({ subtype: 'status', status: 'compacting' })];
      case 'conversation_compacted':
        return [this.#system({ subtype: 'compact_boundary', compact_metadata: compactFields(event) })];
      case 'run_ended':
        return [this.result(event)];
      case 'team_changed':
      case 'mail_moved':
      case 'board_changed':
      case 'circle_found':
        return [this.#system(teamFrame(event))];
      case 'workflow_changed':
      case 'workflow_call_changed':
        return [this.#system(workflowFrame(event))];
      default:
        return buildNotices(event).map((body) => this.#system(body));
    }
  }

  /** An agent's runs and compactions are left out: a host would take them for the session's. */
  #ofAgent(event: AgentEvent): object[] {
    const sender = { agent_id: event.agentId, parent_tool_use_id: event.parentToolUseId };
    return buildNotices(event).map((body) => this.#system({ ...body, ...sender }));
  }

  result(event: Of<'run_ended'>): object {
    return this.#frame({
      type: 'result',
      ...resultFields(event),
      ...this.#totals.take(event.outcome, event.cost ?? { totalMicroUsd: null, rows: [] }),
    });
  }

  /** The end of `cadre run`, where no lead has an answer. */
  workflowResult(end: RunEnd, text: string, durationMs: number): object {
    return this.#frame({ type: 'result', ...workflowResultFields(end, text, durationMs) });
  }

  #init(event: Of<'run_started'>): object {
    return this.#system({
      subtype: 'init',
      apiKeySource: 'none',
      claude_code_version: version,
      cadre_version: version,
      cwd: event.cwd,
      tools: event.tools,
      mcp_servers: event.mcpServers ?? [],
      model: event.model,
      permissionMode: event.permissionMode,
      slash_commands: event.slashCommands ?? [],
      output_style: 'default',
      skills: event.skills ?? [],
      plugins: [],
      agents: this.info.agents.map((agent) => agent.name),
      session_mode: this.info.mode === 'coordinator' ? this.info.mode : undefined,
      scratchpad: this.info.scratchpad || undefined,
    });
  }

  #partial(event: Of<'model_streamed'>): object[] {
    const { includePartialMessages, forwardSubagentText } = this.options;
    if (!includePartialMessages || (event.agentId !== null && !forwardSubagentText)) return [];
    return buildStreamEvents(event.event).map((inner) =>
      this.#frame({ type: 'stream_event', event: inner, parent_tool_use_id: event.parentToolUseId }),
    );
  }

  #message(event: Of<'message_added'>): object[] {
    const { replayUserMessages, forwardSubagentText } = this.options;
    return messageFrames(event, {
      sessionId: this.info.id,
      ids: this.ids,
      replayUserMessages,
      forwardSubagentText,
      task: event.agentId === null ? undefined : this.#tasks.find(event.agentId),
    });
  }

  /** Of MCP tools only: what a command prints is its output, which comes with its result. */
  #progress({ toolUseId, toolName, progress, agentId, parentToolUseId }: Of<'tool_progressed'>): object {
    const now = this.options.clock.monotonic();
    const elapsedMs = now - (this.#startedAt.get(toolUseId) ?? now);
    return this.#frame({
      type: 'tool_progress',
      tool_use_id: toolUseId,
      tool_name: toolName,
      parent_tool_use_id: parentToolUseId,
      elapsed_time_seconds: elapsedMs / 1000,
      task_id: agentId ?? undefined,
      progress: progress.text,
    });
  }

  #hook(event: Parameters<typeof hookFrame>[0]): object {
    const { subtype, fields } = hookFrame(event);
    return this.#system({ subtype, ...fields });
  }

  #system(body: object): object {
    return this.#frame({ type: 'system', ...body });
  }

  #frame(fields: object): object {
    return { ...fields, uuid: this.ids.uuid(), session_id: this.info.id };
  }
}

/** Frames about a request or a file, for the lead and other agents alike. */
function buildNotices(event: AgentEvent): SystemBody[] {
  switch (event.type) {
    case 'request_retried':
      if (event.isLast)
        return [{ subtype: 'informational', content: event.failure.message, level: 'warning' }];
      return [{ subtype: 'api_retry', ...retryFields(event) }];
    case 'request_waited':
      if (event.isOver) return [];
      return [
        {
          ...{ subtype: 'informational', content: event.reason, level: 'info' },
          ...{ wait_ms: Math.round(event.delayMs), suspended_until: formatUntil(event.suspended?.until) },
        },
      ];
    case 'fallback_taken':
      return [
        {
          subtype: 'informational',
          content: `using ${event.to} instead of ${event.from}: ${event.reason}`,
          level: 'warning',
        },
      ];
    case 'leases_changed':
      return event.agentId === null
        ? []
        : [
            {
              subtype: 'leases_changed',
              leases: event.leases.map(({ path, since, writes }) => ({ path, since, writes })),
            },
          ];
    case 'files_touched':
      return [
        { subtype: 'files_touched', tool_use_id: event.toolUseId, files: event.files.map(touchFields) },
      ];
    case 'notice_given':
      return event.level === 'debug'
        ? []
        : [{ subtype: 'informational', content: event.text, level: event.level }];
    default:
      return [];
  }
}

function touchFields({ path, kind, holder }: FileTouch) {
  return { path, kind, holder: holder ? (holder.agentId ?? 'main') : undefined };
}

function compactFields(event: Of<'conversation_compacted'>) {
  const { summaryUuid, keptUuids } = event.boundary;
  return {
    trigger: event.trigger,
    pre_tokens: event.preTokens,
    post_tokens: event.postTokens,
    duration_ms: Math.round(event.durationMs),
    preserved_messages: { anchor_uuid: summaryUuid, uuids: keptUuids },
  };
}

function retryFields({ attempt, delayMs, failure }: Of<'request_retried'>) {
  return {
    attempt,
    // A limit is waited for as long as it takes.
    max_retries:
      failure.kind === 'rate_limited' || failure.kind === 'overloaded' ? null : countAttempts(failure) - 1,
    retry_delay_ms: delayMs,
    error_status: failure.status ?? null,
    error: failure.message,
  };
}

function resultFields({ outcome, durationMs, modelMs }: Of<'run_ended'>) {
  return {
    ...chooseSubtype(outcome),
    duration_ms: Math.round(durationMs),
    duration_api_ms: Math.round(modelMs),
    num_turns: outcome.turns,
    outcome: outcome.kind,
    result: outcome.text || (outcome.output === undefined ? '' : JSON.stringify(outcome.output)),
    structured_output: outcome.output,
    stop_reason:
      outcome.kind === 'truncated' ? 'max_tokens' : outcome.kind === 'completed' ? 'end_turn' : null,
    usage: completeUsage(outcome.usage),
    suspended_until: formatUntil(outcome.failure?.resetsAt),
  };
}

/** When requests are accepted again, in ISO 8601. */
function formatUntil(until: number | undefined): string | undefined {
  return until === undefined ? undefined : formatInstant(until);
}

/** Hosts read every field that the wire declares, also those for which there is nothing to count. */
function completeUsage(usage: Usage): object {
  return {
    ...usage,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cache_creation_input_tokens,
      ephemeral_1h_input_tokens: 0,
    },
    output_tokens_details: { thinking_tokens: 0 },
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: 'standard',
    inference_geo: '',
    iterations: [],
    speed: 'standard',
    fallback_credit: null,
  };
}

function chooseSubtype(outcome: Outcome) {
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
