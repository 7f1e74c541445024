import { findFacts, type ProviderName } from '../models/facts.ts';
import type { AgentEvent, CostReport, CostRow, Outcome } from '../protocol/index.ts';

/** The totals of a result frame: the cost of the whole session, and the denials since the last result. */
export class ResultTotals {
  #denials: object[] = [];
  /** Windows of models that were in use, where the tables do not know them. */
  readonly #windows = new Map<string, number>();

  noteModel({ model, contextWindow }: Extract<AgentEvent, { type: 'run_started' }>): void {
    if (contextWindow !== undefined) this.#windows.set(model, contextWindow);
  }

  deny(event: Extract<AgentEvent, { type: 'permission_denied' }>): void {
    this.#denials.push({
      tool_name: event.toolName,
      tool_use_id: event.toolUseId,
      tool_input: event.input,
      agent_id: event.agentId ?? undefined,
    });
  }

  take(outcome: Outcome, cost: CostReport): object {
    const denials = this.#denials;
    this.#denials = [];
    return {
      total_cost_usd: (cost.totalMicroUsd ?? 0) / 1e6,
      held_cost_usd: (cost.heldMicroUsd ?? 0) / 1e6,
      modelUsage: usageByModel(cost.rows, this.#windows),
      permission_denials: denials,
      api_error_status: outcome.failure?.status || undefined,
    };
  }
}

/** Agents share a row per model here, as hosts expect; `cadre cost` tells them apart. */
function usageByModel(rows: readonly CostRow[], windows: ReadonlyMap<string, number>): object {
  const models = [...new Set(rows.map((row) => row.model))];
  return Object.fromEntries(
    models.map((model) => {
      const [provider = '', ...id] = model.split('/');
      const facts = findFacts(provider as ProviderName, id.join('/'));
      const usage = modelUsage(rows.filter((row) => row.model === model));
      const contextWindow = windows.get(model) ?? facts.window;
      return [model, { ...usage, contextWindow, maxOutputTokens: facts.maxOutput }];
    }),
  );
}

/** No price is reported if none is known: `costBasis` says so. */
function modelUsage(rows: readonly CostRow[]): object {
  const sum = (count: (row: CostRow) => number) => rows.reduce((total, row) => total + count(row), 0);
  const isKnown = rows.every((row) => row.microUsd !== null);
  const held = sum((row) => row.heldMicroUsd ?? 0);
  return {
    inputTokens: sum((row) => row.usage.input_tokens),
    outputTokens: sum((row) => row.usage.output_tokens),
    cacheReadInputTokens: sum((row) => row.usage.cache_read_input_tokens),
    cacheCreationInputTokens: sum((row) => row.usage.cache_creation_input_tokens),
    webSearchRequests: 0,
    costUSD: sum((row) => row.microUsd ?? 0) / 1e6,
    heldCostUSD: held > 0 ? held / 1e6 : undefined,
    costBasis: isKnown ? 'list' : 'unknown',
  };
}
