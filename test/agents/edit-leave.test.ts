import { expect, test } from 'bun:test';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Question } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say } from '../../src/testing/index.ts';
import { place } from '../session/support.ts';
import { openStory } from './support.ts';

async function askedWith(options: SessionOptions) {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const asked: Question[] = [];
  const hire = (prompt: string) => call('Agent', { description: 'x', prompt });
  const write = (name: string) => call('Write', { file_path: join(at.cwd, name), content: 'x' });
  const story = await openStory(
    {
      lead: [hire('One'), hire('Two'), say('Ok.')],
      agents: { One: [write('a.txt'), say('Done.')], Two: [write('b.txt'), say('Done.')] },
    },
    {
      onQuestion: async (question) => {
        asked.push(question);
        return { behaviour: 'allow' };
      },
      ...options,
    },
    at,
  );
  await story.prompt('Go');
  await story.session.close();
  return { asked, wrote: ['a.txt', 'b.txt'].filter((name) => existsSync(join(at.cwd, name))) };
}

test('PE2 agents.permissionMode: ask holds with a host: it is asked once per type, not for each edit', async () => {
  for (const options of [
    { settings: '{"agents": {"permissionMode": "ask"}}' },
    { agentLimits: { permissionMode: 'ask' as const } },
  ]) {
    const { asked, wrote } = await askedWith(options);
    expect(asked.map(({ summary }) => summary)).toEqual([
      'Let general-purpose agents edit files in the workspace without asking each time?',
    ]);
    expect(wrote).toEqual(['a.txt', 'b.txt']);
  }
});

test('PE2 without the setting a host is asked for each edit', async () => {
  const { asked } = await askedWith({});
  expect(asked.map(({ toolName }) => toolName)).toEqual(['Write', 'Write']);
});

test('PE2 where nobody can answer, ask means that each edit would be asked about', async () => {
  const { wrote } = await askedWith({
    settings: '{"agents": {"permissionMode": "ask"}}',
    onQuestion: undefined as never,
  });
  expect(wrote).toEqual([]);
});
