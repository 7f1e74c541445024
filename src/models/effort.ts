import { type Effort, type EffortLevel, efforts } from '../protocol/effort.ts';
import type { Model, ModelRequest, Thinking } from '../protocol/index.ts';

/** The tokens of thinking that each level stands for, where a model knows budgets only. */
const budgets: Readonly<Record<EffortLevel, number>> = {
  low: 2_000,
  medium: 8_000,
  high: 16_000,
  xhigh: 32_000,
  max: 64_000,
};

/**
 * An agent's thinking and effort. Agents do not think at length unless asked to: their tasks are narrow, and there are
 * many of them. More effort never means less thinking, and the lowest adds none.
 */
export function applyEffort(
  wanted: Effort | undefined,
  { facts }: Pick<Model, 'facts'>,
): Pick<ModelRequest, 'thinking' | 'effort'> {
  if (wanted === undefined) return { thinking: { type: 'off' } };
  if (typeof wanted !== 'number') return { thinking: chooseThinking(wanted, facts), effort: wanted };
  if (facts.thinking.includes('budget')) return { thinking: { type: 'budget', tokens: wanted } };
  const level = efforts.find((one) => wanted <= budgets[one]) ?? 'max';
  return { thinking: chooseThinking(level, facts), effort: level };
}

function chooseThinking(
  level: EffortLevel,
  { thinking, efforts: taken, maxOutput }: Model['facts'],
): Thinking {
  const can = (kind: Thinking['type']) => thinking.includes(kind);
  if (level === 'low') return { type: 'off' };
  if (can('adaptive') && (taken || !can('budget'))) return { type: 'adaptive' };
  if (!can('budget')) return { type: 'off' };
  // The rest is for the answer itself.
  return { type: 'budget', tokens: Math.min(budgets[level], Math.floor(maxOutput / 2)) };
}

/** The level to send: the one that is asked for, else the next lower one that the model takes. */
export function closestEffort(
  wanted: EffortLevel | undefined,
  taken: readonly EffortLevel[] | undefined,
): EffortLevel | undefined {
  if (wanted === undefined || !taken) return undefined;
  const most = efforts.indexOf(wanted);
  return taken.findLast((level) => efforts.indexOf(level) <= most) ?? taken[0];
}
