import type { Model, Thinking } from '../protocol/index.ts';
import type { Effort } from './definition.ts';

const budgets: Readonly<Record<string, number>> = {
  low: 2_000,
  medium: 8_000,
  high: 16_000,
  xhigh: 32_000,
  max: 64_000,
};

/** Agents do not think at length unless somebody asked for it: their tasks are narrow, and there are many. */
export function thinkingFor(effort: Effort | undefined, { facts }: Model): Thinking {
  if (effort === undefined || facts.thinking.length === 0) return { type: 'off' };
  if (facts.thinking.includes('budget'))
    return { type: 'budget', tokens: typeof effort === 'number' ? effort : (budgets[effort] ?? 8_000) };
  return facts.thinking.includes('adaptive') ? { type: 'adaptive' } : { type: 'off' };
}
