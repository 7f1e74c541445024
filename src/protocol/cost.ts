import type { Usage } from './message.ts';

/** Usage and cost per agent and model. Rows add up to the total: each request is in exactly one row. */
export interface CostReport {
  /** In millionths of a dollar. Null when any price is unknown. */
  totalMicroUsd: number | null;
  rows: CostRow[];
}

export interface CostRow {
  /** Null for the lead. */
  agentId: string | null;
  /** `provider/id`. */
  model: string;
  usage: Usage;
  microUsd: number | null;
  requests: number;
  /** Requests that ended without a count: their cost is what was reserved, and `usage` lacks them. */
  estimated: number;
}
