import {
  type AgentCallVerdict,
  type CallCensus,
  type CallOutcome,
  callOutcomes,
  callVerdicts,
} from '../protocol/workflow.ts';

export function emptyCensus(): CallCensus {
  const zero = <Name extends string>(names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
  return { outcomes: zero(callOutcomes), verdicts: zero(callVerdicts) };
}

export function countCall(
  census: CallCensus,
  outcome: CallOutcome,
  verdict: AgentCallVerdict,
  times = 1,
): void {
  census.outcomes[outcome] += times;
  census.verdicts[verdict] += times;
}

/** Whether calls did not end well. */
export function hasDead({ outcomes }: CallCensus): boolean {
  return callOutcomes.some((outcome) => outcome !== 'ok' && outcomes[outcome] > 0);
}

/** `6 calls: 4 ok, 2 failed (5 executed, 1 replayed)`. */
export function renderCensus({ outcomes, verdicts }: CallCensus): string {
  const total = callOutcomes.reduce((sum, outcome) => sum + outcomes[outcome], 0);
  const list = <Name extends string>(names: readonly Name[], counts: Record<Name, number>) =>
    names.flatMap((name) =>
      counts[name] > 0 ? [`${counts[name]} ${name.replace('_', ' ').toLowerCase()}`] : [],
    );
  if (total === 0) return 'no calls';
  const how = list(callVerdicts, verdicts).join(', ');
  return `${total} ${total === 1 ? 'call' : 'calls'}: ${list(callOutcomes, outcomes).join(', ')} (${how})`;
}
