import { expect, test } from 'bun:test';
import { builtInAgents } from '../../src/agents/definitions/built-in.ts';
import { describeStart } from '../../src/agents/steps/cost.ts';

const start = (type: string, description: string, more: Record<string, unknown> = {}) => ({
  input: { subagent_type: type, description, ...more },
});

test.each([
  [
    'agents that edit apart',
    [start('worker', 'One', { isolation: 'worktree' }), start('worker', 'Two', { isolation: 'worktree' })],
    'Start 2 worker agents? They may edit files in their own worktrees.',
  ],
  [
    'agents that edit here',
    [start('general-purpose', 'One')],
    'Start 1 general-purpose agent? They may edit files in this directory.',
  ],
  ['agents that only read', [start('Explore', 'One')], 'Start 1 Explore agent? They change no files.'],
  [
    'several types',
    [start('Explore', 'One'), start('general-purpose', 'Two')],
    'Start 2 agents (1 Explore, 1 general-purpose)? They may edit files in this directory.',
  ],
])(
  'the question about many agents says how many there are and what they may change: %s',
  (_, starts, said) => {
    const { summary, preview } = describeStart(starts, builtInAgents());
    expect(summary).toBe(said);
    expect(preview.split('\n')).toHaveLength(starts.length);
  },
);
