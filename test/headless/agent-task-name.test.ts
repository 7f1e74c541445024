import { expect, test } from 'bun:test';
import { formatAgentTask } from '../../src/headless/agent-lines.ts';
import type { AgentFacts, TaskView } from '../../src/protocol/index.ts';

function name(more: Partial<AgentFacts>): string {
  const agent = { type: 'general-purpose', ...more } as AgentFacts;
  return formatAgentTask({ id: 't1', description: 'look', agent } as TaskView);
}

test('a teammate is named by its address, any other agent by its type', () => {
  expect(name({ member: { address: 'bob@crew', colour: 'green' } })).toBe('bob@crew "look" (t1)');
  expect(name({})).toBe('general-purpose "look" (t1)');
});
