import { ok, usage } from '../../lib/result.ts';
import { type CostSoFar, FanOuts } from '../forecast.ts';
import type { AgentStep } from '../kernel.ts';

/** Whether the user wants to pay for it, where a call would start many or dear ones at once. */
export function costStep(countCost: () => CostSoFar): AgentStep {
  const fanOuts = new FanOuts(countCost);
  return {
    name: 'cost',
    async complete({ parent, request: { call, description }, earlier }, agents) {
      if (!call || earlier) return ok(undefined);
      const refusal = await fanOuts.ask(agents, parent, call, description);
      return refusal === undefined ? ok(undefined) : usage(refusal);
    },
  };
}
