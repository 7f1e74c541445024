import {
  type AgentEvent,
  addUsage,
  type MessageRecord,
  noUsage,
  type Outcome,
  type Usage,
} from '../protocol/index.ts';

/** What a result frame adds up: tokens per model over the whole session, denials since the last result. */
export class ResultTotals {
  readonly #byModel = new Map<string, Usage>();
  #denials: object[] = [];

  note(record: MessageRecord): void {
    if (record.type !== 'assistant') return;
    this.spend(record.message.model, record.message.usage);
  }

  spend(model: string, usage: Usage): void {
    this.#byModel.set(model, addUsage(this.#byModel.get(model) ?? noUsage, usage));
  }

  deny(event: Extract<AgentEvent, { type: 'permission_denied' }>): void {
    this.#denials.push({ tool_name: event.toolName, tool_use_id: event.toolUseId, tool_input: event.input });
  }

  take(outcome: Outcome): object {
    const denials = this.#denials;
    this.#denials = [];
    return {
      total_cost_usd: 0,
      modelUsage: Object.fromEntries([...this.#byModel].map(([model, usage]) => [model, modelUsage(usage)])),
      permission_denials: denials,
      ...(outcome.failure?.status ? { api_error_status: outcome.failure.status } : {}),
    };
  }
}

/** No price is known here, so none is claimed: `costBasis` says so. */
function modelUsage(usage: Usage): object {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadInputTokens: usage.cache_read_input_tokens,
    cacheCreationInputTokens: usage.cache_creation_input_tokens,
    webSearchRequests: 0,
    costUSD: 0,
    costBasis: 'unknown',
  };
}
