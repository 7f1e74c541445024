import { expect, test } from 'bun:test';
import { watchLimits } from '../../src/agents/limits.ts';
import { manualClock } from '../../src/lib/clock.ts';

const waited = (more: { delayMs: number; isOver?: true }) =>
  ({ agentId: 'a', parentToolUseId: null, type: 'request_waited', reason: 'x', ...more }) as const;

test('G8 who waits for the budget is not stuck; who hangs once its request is out is', () => {
  const clock = manualClock();
  const controller = new AbortController();
  const limits = watchLimits({ idleSeconds: 60 }, clock, controller, () => false);
  limits.note(waited({ delayMs: 0 }));
  clock.advance(600_000);
  expect(controller.signal.aborted).toBe(false);
  limits.note(waited({ delayMs: 0, isOver: true }));
  clock.advance(120_000);
  expect(limits.hit()?.kind).toBe('timed_out');
});

test('G8 a wait of a known length counts no longer than that', () => {
  const clock = manualClock();
  const controller = new AbortController();
  const limits = watchLimits({ idleSeconds: 60 }, clock, controller, () => false);
  limits.note(waited({ delayMs: 300_000 }));
  clock.advance(300_000);
  expect(controller.signal.aborted).toBe(false);
  clock.advance(120_000);
  expect(controller.signal.aborted).toBe(true);
});
