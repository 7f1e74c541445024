import type { AgentContext } from './agent-context.ts';
import { describeTools } from './describe-tools.ts';
import { bytesPerToken, countTextTokens } from './tokens.ts';

/** Nothing sensible can be done with less; an overflow that suggests less is ignored. */
const minWindow = 2_000;

/** Tokens that are kept free for an answer. Longer ones are rare, and may use what is left of the window. */
export const usualAnswer = 32_000;

/** The possible error of estimates. */
const maxMargin = 8_000;

/** The window of the agent's own model: as it is known, or as large as requests were seen to fit. */
export function measureWindow({ model, conversation }: AgentContext): number {
  const seen = conversation.findOverflow(model.id) ?? Number.POSITIVE_INFINITY;
  return Math.max(minWindow, Math.min(model.facts.window, seen));
}

/** Tokens of the next request. */
export function nextRequestTokens(agent: AgentContext): number {
  const { tokens, isMeasured } = agent.conversation;
  return isMeasured ? tokens : tokens + fixedTokens(agent);
}

/** An estimate of what every request carries: system prompt and tools. */
export function fixedTokens({ system, tools }: AgentContext): number {
  return countTextTokens(system.join('')) + countTextTokens(JSON.stringify(describeTools(tools)));
}

/** Above this the conversation is compacted: a whole answer must still fit after it. */
export function computeFullSize(agent: AgentContext): number {
  const window = measureWindow(agent);
  const ours = window - answerReserve(agent) - margin(window);
  return Math.min(ours, agent.limits.compactAt ?? ours);
}

/** The usable part of the window: all of it, or a lower limit that was set. */
export function usableWindow(agent: AgentContext): number {
  return Math.min(measureWindow(agent), agent.limits.compactAt ?? Number.POSITIVE_INFINITY);
}

/**
 * A conversation that is still full right after a compaction has a large system prompt or a small window. It is not
 * compacted at every turn, only when enough was added to be worth a request of that size.
 */
export function isFull(agent: AgentContext): boolean {
  if (nextRequestTokens(agent) <= computeFullSize(agent)) return false;
  const worthIt = Math.max(minWindow / 16, usableWindow(agent) / 16, fixedTokens(agent) / 2);
  return agent.conversation.grown > worthIt;
}

/** The largest answer that can be asked for now; the reserve even when the window is full. */
export function roomForAnswer(agent: AgentContext): number {
  const window = measureWindow(agent);
  const left = window - nextRequestTokens(agent) - margin(window);
  return Math.min(computeMaxAnswer(agent), Math.max(answerReserve(agent), left));
}

export function answerReserve(agent: AgentContext): number {
  return Math.min(usualAnswer, computeMaxAnswer(agent), Math.floor(measureWindow(agent) / 4));
}

export function margin(window: number): number {
  return Math.min(maxMargin, Math.floor(window / 20));
}

/** Bytes of one tool result that may enter: a quarter of the window at most, even if the limits allow more. */
export function computeMaxResultBytes(agent: AgentContext): number {
  return Math.floor(measureWindow(agent) / 4) * bytesPerToken;
}

function computeMaxAnswer({ limits, model }: AgentContext): number {
  return Math.min(limits.maxOutputTokens, model.facts.maxOutput);
}
