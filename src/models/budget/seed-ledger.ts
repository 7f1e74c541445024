import { type Clock, timestamp } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { ProcessMark } from '../../lib/processes/mark.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { CostRow } from '../../protocol/cost.ts';
import { totalTokens } from '../../protocol/message.ts';
import type { Ledger } from './ledger.ts';

/** Records what a session used before it had a ledger, from its transcript, so that a cap includes it. */
export function seedLedger(
  ledger: Ledger,
  rows: readonly CostRow[],
  { clock, ids, owner }: { clock: Clock; ids: Ids; owner: ProcessMark },
): Result<void> {
  for (const { agentId, model, usage, microUsd } of rows) {
    const tokens = totalTokens(usage);
    const common = { id: ids.uuid(), at: timestamp(clock), model, microUsd, tokens };
    const path = agentId === null ? [] : [agentId];
    const reserved = ledger.append({ type: 'reserve', ...common, path, limits: [], owner });
    if (!reserved.ok) return reserved;
    const settled = ledger.append({ type: 'settle', ...common, how: 'reported', usage });
    if (!settled.ok) return settled;
  }
  return ok(undefined);
}
