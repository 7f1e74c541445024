import type { Question } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';

/** The user may come back to a background agent, but not much later. */
const backgroundTimeoutMs = 10 * 60 * 1000;

/** Who asks and how long the question waits: one from the background opens no dialog and waits only a while. */
export function askedBy({
  identity: { badge },
  priority,
  limits,
  clock,
}: Pick<AgentContext, 'identity' | 'priority' | 'limits' | 'clock'>): Pick<
  Question,
  'asker' | 'askedAt' | 'expiresAt'
> {
  const isBackground = priority === 'background';
  const timeoutMs = limits.questionTimeoutMs ?? (isBackground ? backgroundTimeoutMs : undefined);
  const askedAt = clock.now();
  return {
    asker: { type: 'lead', ...badge, ...(isBackground ? { background: true } : {}) },
    askedAt,
    expiresAt: timeoutMs === undefined ? null : askedAt + timeoutMs,
  };
}
