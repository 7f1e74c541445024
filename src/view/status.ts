import type { SessionState } from '../protocol/event.ts';
import type { Usage } from '../protocol/message.ts';
import type { PermissionMode } from '../protocol/permission.ts';
import { isAtWork } from './agents.ts';
import type { View } from './view.ts';

/** The parts of a status line, for the whole session. */
export interface StatusFacts {
  readonly cwd: string;
  readonly branch: string | null;
  readonly mode: PermissionMode;
  readonly model: string;
  readonly state: SessionState;
  readonly coordinator: boolean;
  readonly contextUsed: number;
  readonly contextWindow: number | null;
  /** Percentage of the window, rounded; null if the window is unknown. */
  readonly contextPercent: number | null;
  /** Null if a price is unknown. */
  readonly microUsd: number | null;
  readonly usage: Usage;
  readonly agentsAtWork: number;
  /** How many of them, and the lead, wait for a limit to reset; until when, null if none does. */
  readonly suspended: number;
  readonly suspendedUntil: number | null;
  /** Work of any kind that no turn waits for. */
  readonly inBackground: number;
  /** Entries of the queue, repeats not counted. */
  readonly questions: number;
  readonly queued: number;
}

export function statusFacts(view: View): StatusFacts {
  const { session, cost, agents, tasks, questions, queued } = view;
  const { cwd, branch, mode, model, state, coordinator, context } = session;
  const working = [...agents.values()].filter((agent) => isAtWork(agent.state));
  const running = [...tasks.values()].filter((task) => isAtWork(task.state));
  return {
    cwd,
    branch,
    mode,
    model,
    state,
    coordinator,
    contextUsed: context.used,
    contextWindow: context.window,
    contextPercent: context.window ? Math.min(100, Math.round((100 * context.used) / context.window)) : null,
    microUsd: cost.microUsd,
    usage: cost.usage,
    agentsAtWork: working.length,
    ...countSuspended(view),
    inBackground: [...working, ...running].filter(({ isBackgrounded }) => isBackgrounded).length,
    questions: questions.length,
    queued: queued.length,
  };
}

/** The lead and the agents that wait for a limit to reset, and the latest reset. */
export function countSuspended({
  lead,
  agents,
}: Pick<View, 'lead' | 'agents'>): Pick<StatusFacts, 'suspended' | 'suspendedUntil'> {
  const { wait } = lead.live;
  const own = wait?.kind === 'suspended' ? [wait.until] : [];
  const others = [...agents.values()].flatMap(({ state, suspended }) =>
    isAtWork(state) && suspended ? [suspended.until] : [],
  );
  const all = [...own, ...others];
  return { suspended: all.length, suspendedUntil: all.length === 0 ? null : Math.max(...all) };
}
