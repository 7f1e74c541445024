import type { CostReport } from '../protocol/cost.ts';
import { addUsage, noUsage } from '../protocol/message.ts';
import type { AgentCost, Cost } from './view.ts';

/** The session's ledger by agent. Its rows add up to the total, so nothing is counted twice. */
export function sumCost({ totalMicroUsd, rows }: CostReport): Cost {
  const byAgent = new Map<string | null, AgentCost>();
  for (const row of rows) byAgent.set(row.agentId, sum(byAgent.get(row.agentId) ?? nothing, row));
  const { usage, requests, heldMicroUsd = 0, estimated } = rows.reduce<AgentCost>(sum, nothing);
  return { microUsd: totalMicroUsd, usage, requests, heldMicroUsd, estimated, byAgent };
}

const nothing: AgentCost = { microUsd: 0, usage: noUsage, requests: 0, estimated: 0 };

function sum(a: AgentCost, b: AgentCost): AgentCost {
  return {
    microUsd: a.microUsd === null || b.microUsd === null ? null : a.microUsd + b.microUsd,
    usage: addUsage(a.usage, b.usage),
    requests: a.requests + b.requests,
    heldMicroUsd: (a.heldMicroUsd ?? 0) + (b.heldMicroUsd ?? 0),
    estimated: a.estimated + b.estimated,
  };
}
