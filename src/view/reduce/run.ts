import { describePromptRefusal } from '../../protocol/index.ts';
import { cutEnd, cutLine, maxResult } from '../bound.ts';
import { sumCost } from '../cost.ts';
import type { Draft } from '../draft.ts';
import { emptyLive } from '../empty.ts';
import type { EventOf, Wait } from '../entry.ts';
import { closeRequest, openRequest } from '../request.ts';
import { loseCalls } from './call.ts';

/** Runs and turns of an agent, and what delays them. */
export function reduceRun(
  draft: Draft,
  agentId: string | null,
  event: EventOf<
    | 'run_started'
    | 'run_ended'
    | 'turn_started'
    | 'compaction_started'
    | 'request_retried'
    | 'request_waited'
    | 'fallback_taken'
    | 'prompt_refused'
  >,
): void {
  switch (event.type) {
    case 'run_started':
      if (agentId === null) startRun(draft, event);
      break;
    case 'run_ended':
      endRun(draft, agentId, event);
      break;
    case 'turn_started':
      draft.setLive(agentId, { turn: event.turn, blocks: [], wait: null });
      break;
    case 'compaction_started': {
      const wait = { kind: 'compaction', since: draft.at, trigger: event.trigger } as const;
      draft.setLive(agentId, { wait });
      break;
    }
    case 'request_retried': {
      const { attempt, delayMs, failure, isLast } = event;
      const wait = { kind: 'retry', attempt, until: draft.at + delayMs } as const;
      draft.setLive(agentId, { wait: isLast ? null : { ...wait, reason: cutLine(failure.message) } });
      break;
    }
    case 'request_waited':
      draft.setLive(agentId, { wait: event.isOver ? null : buildWait(event, draft.at) });
      break;
    case 'fallback_taken': {
      const text = cutLine(`using ${event.to} instead of ${event.from}: ${event.reason}`);
      draft.say(agentId, { kind: 'notice', level: 'warning', text });
      break;
    }
    case 'prompt_refused':
      refusePrompt(draft, agentId, event);
      break;
  }
}

function buildWait({ suspended, delayMs, reason }: EventOf<'request_waited'>, at: number): Wait {
  if (suspended) return { kind: 'suspended', until: suspended.until, reason: cutLine(suspended.reason) };
  return { kind: 'limit', until: at + delayMs, reason: cutLine(reason) };
}

function startRun(draft: Draft, event: EventOf<'run_started'>): void {
  const { model, permissionMode: mode, cwd, contextWindow } = event;
  openRequest(draft);
  const { context } = draft.view.session;
  draft.setSession({
    model,
    mode,
    cwd,
    runStartedAt: draft.at,
    ...(contextWindow === undefined ? {} : { context: { ...context, window: contextWindow } }),
  });
}

function endRun(draft: Draft, agentId: string | null, event: EventOf<'run_ended'>): void {
  const { outcome, durationMs, cost } = event;
  loseCalls(draft, agentId, draft.at);
  draft.setLive(agentId, emptyLive);
  const reason = outcome.reason === undefined ? null : cutEnd(outcome.reason, maxResult);
  if (cost) draft.set({ cost: sumCost(cost) });
  const work = agentId === null ? closeRequest(draft) : null;
  draft.say(agentId, { kind: 'end', outcome: outcome.kind, reason, durationMs, work });
  if (agentId === null) draft.setSession({ runStartedAt: null });
}

function refusePrompt(draft: Draft, agentId: string | null, event: EventOf<'prompt_refused'>): void {
  const { uuid } = event;
  draft.say(agentId, { kind: 'refused', text: cutEnd(describePromptRefusal(event), maxResult) });
  draft.set({ queued: draft.view.queued.filter((prompt) => prompt.uuid !== uuid) });
}
