import type { AgentEvent, CostReport, Outcome } from '../../protocol/index.ts';
import type { Session } from '../session.ts';
import { chooseWhole } from '../whole-outcome.ts';

export interface RunFollower {
  /** A prompt that must be answered before the session is at rest. */
  expect(uuid: string): void;
  /** No prompt has to be answered any more: they were withdrawn. */
  giveUp(): void;
  /** All prompts are answered, and neither a run nor background work is in progress. */
  readonly isAtRest: boolean;
  outcome(): Outcome | undefined;
  cost(): CostReport | undefined;
}

/** Follows the runs of a session. `changed` is called when it may be at rest. */
export function followRuns(
  session: Session,
  signal: AbortSignal,
  listener: { heard(event: AgentEvent): void; changed(): void },
): RunFollower {
  const unanswered = new Set<string>();
  let outcomes: Outcome[] = [];
  let cost: CostReport | undefined;
  let isIdle = true;
  let isFinished = true;
  let looks = 0;
  const look = () => {
    const own = ++looks;
    isFinished = false;
    void session.finished(signal).then(() => {
      if (own === looks) isFinished = true;
      listener.changed();
    });
  };
  const note = (event: AgentEvent) => {
    listener.heard(event);
    if (event.agentId !== null) return;
    if (event.type === 'state_changed') {
      isIdle = event.state === 'idle';
      if (isIdle) look();
    }
    if (event.type === 'prompt_refused' && event.uuid !== undefined) unanswered.delete(event.uuid);
    if (event.type !== 'run_ended') return;
    outcomes.push(event.outcome);
    cost = event.cost ?? cost;
    for (const uuid of event.prompts) unanswered.delete(uuid);
  };
  void (async () => {
    for await (const event of session.events()) note(event);
  })();
  return {
    expect(uuid) {
      if (unanswered.size === 0) outcomes = [];
      unanswered.add(uuid);
      look();
    },
    giveUp: () => unanswered.clear(),
    get isAtRest() {
      return isIdle && isFinished && unanswered.size === 0 && outcomes.length > 0;
    },
    outcome: () => chooseWhole(outcomes),
    cost: () => cost,
  };
}
