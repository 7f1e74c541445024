import type { Usage } from './message.ts';

/** Usage and cost per agent and model. Rows add up to the total: nobody's bill holds somebody else's. */
export interface CostReport {
  /** In millionths of a dollar. Null when the price of anything is not known. */
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
  /** Requests that ended without a count: their money is what was reserved, and `usage` lacks them. */
  estimated: number;
}
