import type { AgentContext } from '../agent-context.ts';
import { answerReserve, computeFullSize, fixedTokens, usableWindow } from '../context-room.ts';

/** Tokens that each part of a compacted conversation may take. Together they leave room for more work. */
export interface CompactBudget {
  summary: number;
  /** State that the harness carries over: todo list, files, tasks, earlier prompts. */
  state: number;
  /** The latest prompt, if it is not among the recent messages. */
  prompt: number;
  /** Recent messages that stay as they are. */
  recent: number;
  /** Messages that the model has not answered yet. They stay even when they must be shortened to this. */
  unanswered: number;
}

export function measureBudget(agent: AgentContext): CompactBudget {
  const room = Math.max(computeFullSize(agent) - fixedTokens(agent), Math.floor(usableWindow(agent) / 8));
  const share = (part: number, most: number) => Math.min(most, Math.floor(room * part));
  return {
    summary: share(0.2, Math.min(8_000, answerReserve(agent))),
    state: share(0.1, 4_000),
    prompt: share(0.15, 10_000),
    recent: share(0.25, 20_000),
    unanswered: share(0.35, 60_000),
  };
}
