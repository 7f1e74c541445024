import { expect, test } from 'bun:test';
import { call, say } from '../../src/testing/index.ts';
import { openStory, quiet } from '../agents/support.ts';
import { fakeServer } from '../mcp/support.ts';

const patient = '{"mcp":{"startupWaitMs":20000}}';

test('CO1 CO3 MCP servers are the workers: the coordinator is told of them, and refused their tools', async () => {
  const story = await openStory(
    {
      lead: ({ messages }) => {
        if (messages.length === 1) return call('mcp__fake__say', { text: 'hi' });
        if (messages.length === 3) return call('Agent', { description: 'Say', prompt: 'Say' });
        return say('Done.');
      },
      agents: { Say: [call('mcp__fake__say', { text: 'hello from a worker' }), say('Said.')] },
    },
    {
      coordinator: true,
      mcpServers: { fake: fakeServer('plain') },
      settings: patient,
      allowedTools: ['mcp__fake'],
    },
  );
  await story.prompt('Go');
  await quiet(story);
  const [first] = story.leadRequests();
  expect(first?.tools.map(({ name }) => name).filter((name) => /mcp/i.test(name))).toEqual([]);
  expect(JSON.stringify(first?.messages)).toContain('MCP servers that workers can use: fake.');
  expect(JSON.stringify(first?.system)).not.toContain('fake');
  expect(story.results()[0]).toContain('this agent does not have the tool mcp__fake__say');
  expect(JSON.stringify(story.requestsOf('Say').at(-1)?.messages)).toContain('hello from a worker');
  const told = JSON.stringify(story.leadRequests().at(-1)?.messages).match(/MCP servers that workers/g);
  expect(told).toHaveLength(1);
  await story.session.close();
});
