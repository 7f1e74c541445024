import type { Usage } from './message.ts';

/** Usage and cost per agent and model. Rows add up to the total: each request is in exactly one row. */
export interface CostReport {
  /** In millionths of a dollar. Null when any price is unknown. */
  totalMicroUsd: number | null;
  /** Not spent, but held for good: what requests without a complete count may have cost. */
  heldMicroUsd?: number;
  rows: CostRow[];
}

export interface CostRow {
  /** Null for the lead. */
  agentId: string | null;
  /** `provider/id`. */
  model: string;
  usage: Usage;
  microUsd: number | null;
  heldMicroUsd?: number;
  requests: number;
  /** Requests that ended without a complete count: for these something is held, and `usage` lacks it. */
  estimated: number;
}
