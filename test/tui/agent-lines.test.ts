import { describe, expect, test } from 'bun:test';
import { noUsage } from '../../src/protocol/message.ts';
import type { Drawing } from '../../src/tui/drawing.ts';
import { tasksLines } from '../../src/tui/panels/tasks.ts';
import { agentEndLine, agentEndLines, agentRow } from '../../src/tui/screen/agent-lines.ts';
import { entryLines } from '../../src/tui/screen/entry-lines.ts';
import { callBlock } from '../../src/tui/screen/live-lines.ts';
import { statusLines } from '../../src/tui/screen/status-line.ts';
import { makeTheme } from '../../src/tui/text/index.ts';
import { unknownAgent } from '../../src/view/agents.ts';
import { buildCall } from '../../src/view/calls.ts';
import { type Agent, emptyView, type ShownCall, type View } from '../../src/view/index.ts';

function drawingOf(width: number): Drawing {
  const theme = makeTheme({ level: 'none', attributes: false });
  return { width, theme, home: '/home/me', places: [], now: 12_000, plain: false };
}

const agent: Agent = {
  ...unknownAgent('a1', new Map(), 0),
  ...{ type: 'worker', description: 'Find the formula', callId: '0', runs: 1, toolUses: 2, tokens: 688 },
};

function agentCall(id: string, state: ShownCall['state'], more: Partial<ShownCall> = {}): ShownCall {
  const input = { description: `Work ${id}`, subagent_type: 'worker' };
  return { ...buildCall({ type: 'tool_use', id, name: 'Agent', input }, 'm', 0), state, ...more };
}

describe('a narrow line of an agent', () => {
  test.each([
    [80, '● worker Find the formula 2 tools · 688 tokens · 12s · Reads the program'],
    [50, '● worker Find the for… 2 tools · 688 tokens · 12s…'],
    [40, '● Find the … 2 tools · 688 tokens · 12s…'],
  ])('that works shortens its description first, and keeps its counts: %p', (width, line) => {
    expect(agentRow({ ...agent, activity: 'Reads the program' }, drawingOf(width))).toBe(line);
  });

  test('G13 that is suspended keeps until when, and shows why where there is room', () => {
    const until = new Date(1970, 0, 2, 14, 5).getTime();
    const waiting = { ...agent, suspended: { until, reason: 'Your limit is used up.' }, activity: 'Reads' };
    const now = new Date(1970, 0, 2, 9).getTime();
    const started = { ...waiting, startedAt: now - 12_000 };
    expect(agentRow(started, { ...drawingOf(110), now })).toBe(
      '◇ worker Find the formula 2 tools · 688 tokens · 12s · suspended until 14:05 · Your limit is used up.',
    );
    expect(agentRow(started, { ...drawingOf(70), now })).toContain('suspended until 14:05');
    const view: View = { ...emptyView(), agents: new Map([['a1', started]]) };
    expect(statusLines(view, { questions: 0 }, { ...drawingOf(110), now }).at(-1)).toBe(
      'suspended until 14:05 · 1 task running (ctrl-t to view)',
    );
  });

  test('that has ended takes more lines where one cannot say how, and why', () => {
    const state = { state: 'failed', outcome: 'failed', endedAt: 12_000 } as const;
    const ended = { ...agent, ...state, reason: 'the provider is out of reach' };
    expect(agentEndLines(ended, drawingOf(40))).toEqual([
      '✗ worker Find the formula',
      '  failed · 2 tools · 688 tokens · 12s',
      '  the provider is out of reach',
    ]);
    expect(agentEndLines(ended, drawingOf(100))).toEqual([agentEndLine(ended, drawingOf(100))]);
  });

  test.each([
    [60, '✓ worker Find the fo… completed · 2 tools · 688 tokens · 12s'],
    [50, '✓ Find the… completed · 2 tools · 688 tokens · 12s'],
  ])('that has ended keeps how it ended: %p', (width, line) => {
    const ended = { ...agent, state: 'completed', outcome: 'completed', endedAt: 12_000 } as const;
    expect(agentEndLine(ended, drawingOf(width))).toBe(line);
  });
});

describe('of very many agents', () => {
  const running = Array.from({ length: 20 }, (_, index) => agentCall(`${index}`, 'running'));
  const waiting = Array.from({ length: 280 }, (_, index) => agentCall(`w${index}`, 'waiting'));
  const empty = emptyView();
  const calls = [...running, ...waiting];
  const view: View = {
    ...empty,
    lead: { ...empty.lead, live: { ...empty.lead.live, calls } },
    agents: new Map(running.map(({ id }) => [id, { ...agent, id, callId: id }])),
  };

  test('those that wait for their turn are not said to be at work', () => {
    const lines = callBlock(view, calls, drawingOf(80));
    expect(lines.at(-1)).toBe('  … 8 more running, 280 waiting, 0 back (ctrl-t to view)');
    expect(lines.filter((line) => line.startsWith('● worker'))).toHaveLength(12);
  });

  test('the panel counts those that wait', () => {
    const { lines } = tasksLines(view, { kind: 'tasks', selected: null }, drawingOf(80));
    expect(lines[0]).toBe('Tasks · 20 running, 280 waiting, 0 done');
  });

  test('those that were never started are one line', () => {
    const result = { text: 'Not run: the turn was interrupted.', characters: 34, lines: 1 };
    const ended = waiting.map((call): ShownCall => ({ ...call, state: 'failed', result }));
    const lines = entryLines({ kind: 'agents', id: 'e', at: 0, calls: ended }, drawingOf(80));
    expect(lines).toEqual(['', '○ 280 agents were not started. Not run: the turn was interrupted.']);
  });
});

test('what is held for a request that broke off is shown beside what was spent', () => {
  const spent = { microUsd: 120_000, heldMicroUsd: 650_000, usage: noUsage, requests: 1, estimated: 1 };
  const cost = { ...spent, byAgent: new Map([[agent.id, spent]]) };
  const view: View = { ...emptyView(), agents: new Map([[agent.id, agent]]), cost };
  const drawing = { ...drawingOf(100), plain: true };
  const { lines } = tasksLines(view, { kind: 'tasks', selected: null }, drawing);
  const status = statusLines(view, { questions: 0 }, drawing);
  for (const text of [lines.join('\n'), status.join('\n')]) {
    expect(text).toContain('$0.12 + $0.65 held');
  }
});
