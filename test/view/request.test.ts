import { expect, test } from 'bun:test';
import type { AgentEvent } from '../../src/protocol/index.ts';
import { noUsage } from '../../src/protocol/message.ts';
import { unknownAgent } from '../../src/view/agents.ts';
import { type Entry, emptyView, reduce, type View } from '../../src/view/index.ts';

const started = { agentId: null, parentToolUseId: null, type: 'run_started' } as unknown as AgentEvent;

function ended(totalMicroUsd: number | null): AgentEvent {
  return {
    ...{ agentId: null, parentToolUseId: null, type: 'run_ended', prompts: [], durationMs: 1, modelMs: 1 },
    outcome: { kind: 'completed', text: '', turns: 1, usage: noUsage },
    cost: { totalMicroUsd, rows: [] },
  } as unknown as AgentEvent;
}

function lastWork(view: View) {
  const end = view.lead.entries.findLast(
    (entry): entry is Extract<Entry, { kind: 'end' }> => entry.kind === 'end',
  );
  return end?.work;
}

test('a request says what it took: its time, and its part of the cost', () => {
  const first = reduce(reduce(emptyView(), started, 1_000), ended(20_000), 3_000);
  expect(lastWork(first)).toEqual({ durationMs: 2_000, files: 0, microUsd: 20_000 });
  const second = reduce(reduce(first, started, 10_000), ended(50_000), 15_000);
  expect(lastWork(second)).toEqual({ durationMs: 5_000, files: 0, microUsd: 30_000 });
});

test('while agents of a request still run it is not over, and then it is counted as a whole', () => {
  const begun = reduce(emptyView(), started, 1_000);
  const agent = { ...unknownAgent('a1', new Map(), 1_000), runs: 1 };
  const working = reduce({ ...begun, agents: new Map([['a1', agent]]) }, ended(20_000), 2_000);
  expect(lastWork(working)).toBeNull();
  const back = { ...working, agents: new Map([['a1', { ...agent, state: 'completed' as const }]]) };
  const whole = reduce(reduce(back, started, 60_000), ended(90_000), 61_000);
  expect(lastWork(whole)).toEqual({ durationMs: 60_000, files: 0, microUsd: 90_000 });
});

test('a cost that is not known is left out', () => {
  expect(lastWork(reduce(reduce(emptyView(), started, 0), ended(null), 1_000))?.microUsd).toBeNull();
});
