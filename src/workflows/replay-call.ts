import type { Result } from '../lib/result.ts';
import type { Resolution } from './call-runner.ts';
import type { EndedRecord } from './journal-records.ts';
import type { AgentCallEnd } from './run-port.ts';

/** The recorded end of a call, as its program gets it. */
export function replayEnd(end: EndedRecord, verdict: 'REPLAYED' | 'DIVERGED', note?: string): AgentCallEnd {
  const { outcome, value, text, reason, timedOut, outputMissing, agentId, model, usage } = end;
  return {
    ...{ outcome, text, usage, verdict, agentId, model },
    ...(value === undefined ? {} : { value }),
    ...(note === undefined && reason === undefined ? {} : { reason: note ?? reason }),
    ...(timedOut ? { timedOut } : {}),
    ...(outputMissing ? { outputMissing } : {}),
  };
}

/** Whether the words of the call mean something else than when it ran. */
export function isDiverged(then: Resolution | undefined, now: Result<Resolution>): boolean {
  if (!then) return false;
  return !now.ok || now.value.definition !== then.definition || now.value.model !== then.model;
}

export function describeDivergence({ resolution }: EndedRecord, now: Result<Resolution>): string {
  if (!now.ok) return `Its recorded result is kept. Now it could not run: ${now.problem.message}`;
  const model =
    now.value.model === resolution?.model
      ? []
      : [`the model was ${resolution?.model}, now ${now.value.model}`];
  const type =
    now.value.definition === resolution?.definition
      ? []
      : [`the definition of ${now.value.agentType} has changed`];
  return `Its recorded result is kept, although ${[...model, ...type].join(', and ')}.`;
}
