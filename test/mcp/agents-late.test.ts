import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { call, calls, say, type Turn } from '../../src/testing/index.ts';
import { openStory } from '../agents/support.ts';
import { temporaryDirectory } from '../support/index.ts';
import { fakeServer, pidsIn } from './support.ts';

const agent = (prompt: string, subagent_type = 'general-purpose') =>
  call('Agent', { description: prompt, prompt, subagent_type });
const toolsOf = (request: { tools: readonly { name: string }[] } | undefined) =>
  (request?.tools ?? []).map(({ name }) => name).filter((name) => /mcp/i.test(name));

test('an agent that names a server which is still starting waits for it and has its tools', async () => {
  const helper = { description: 'helps', prompt: 'help', tools: ['mcp__slow__say'] };
  const story = await openStory(
    {
      lead: [agent('job', 'helper'), say('done')],
      agents: { job: [call('mcp__slow__say', { text: 'heard' }), say('ok')] },
    },
    { mcpServers: { slow: fakeServer('slow') }, allowedTools: ['mcp__slow'], agents: { helper } },
  );
  await story.prompt('go');
  expect(toolsOf(story.requestsOf('job')[0])).toEqual(['mcp__slow__say']);
  expect(JSON.stringify(story.requestsOf('job').at(-1)?.messages)).toContain('heard');
  await story.session.close();
});

test('an agent that is given all there is reaches a late server through McpCall, and its tools by name', async () => {
  const turns: Turn[] = [
    call('McpCall', { server: 'slow' }),
    calls([
      call('McpCall', { server: 'slow', tool: 'say', arguments: { text: 'first way' } }),
      call('mcp__slow__say', { text: 'second way' }),
    ]),
    say('ok'),
  ];
  const story = await openStory(
    { lead: [agent('job'), say('done')], agents: { job: turns } },
    { mcpServers: { slow: fakeServer('slow') }, allowedTools: ['mcp__slow'] },
  );
  await story.prompt('go');
  expect(toolsOf(story.requestsOf('job')[0])).toContain('McpCall');
  const seen = JSON.stringify(story.requestsOf('job').at(-1)?.messages);
  expect(seen).toContain('first way');
  expect(seen).toContain('second way');
  await story.session.close();
});

test('McpCall gives an agent nothing that its definition does not', async () => {
  const helper = { description: 'helps', prompt: 'help', tools: ['Read', 'mcp__never__*', 'mcp__slow__say'] };
  const story = await openStory(
    {
      lead: [agent('job', 'helper'), say('done')],
      agents: {
        job: [
          calls([
            call('McpCall', { server: 'slow', tool: 'write', arguments: { text: 'x' } }),
            call('mcp__slow__write', { text: 'x' }),
            call('McpCall', { server: 'slow' }),
          ]),
          say('ok'),
        ],
      },
    },
    {
      mcpServers: { slow: fakeServer('slow'), never: fakeServer('silent') },
      settings: '{"mcp":{"startupWaitMs":100},"env":{"MCP_TIMEOUT":"4000"}}',
      allowedTools: ['mcp__slow'],
      agents: { helper },
    },
  );
  await story.prompt('go');
  const seen = JSON.stringify(story.requestsOf('job').at(-1)?.messages);
  expect(seen.match(/There is no tool .{0,3}mcp__slow__write/g)).toHaveLength(2);
  expect(seen).toContain('mcp__slow__say: Says');
  expect(seen).not.toContain('mcp__slow__write:');
  expect(story.results()[0]).toContain(
    'The MCP server never is not available. It did not answer within 4 s.',
  );
  await story.session.close();
});

test('who waits for a silent server of its own is told so, and so is the user; the next one does not wait', async () => {
  const helper = { description: 'helps', prompt: 'help', mcpServers: [{ own: fakeServer('silent') }] };
  const story = await openStory(
    {
      lead: [agent('job', 'helper'), agent('again', 'helper'), say('done')],
      agents: { job: [say('ok')], again: [say('ok')] },
    },
    { agents: { helper }, settings: '{"env":{"MCP_TIMEOUT":"3000"}}' },
  );
  await story.prompt('go');
  const [first, second] = story.results();
  expect(first).toContain('The MCP server own is not available. It did not answer within 3 s.');
  expect(second).toContain('The MCP server own is not available. It has not answered yet.');
  expect(JSON.stringify(story.events)).toContain('The agent helper is waiting for MCP server own.');
  await story.session.close();
}, 20_000);

test("of a session's server and an agent's own of the same name the session's counts (MC1)", async () => {
  const shadow = join(temporaryDirectory().path, 'shadow');
  const helper = {
    description: 'helps',
    prompt: 'help',
    mcpServers: [{ fake: fakeServer('plain', shadow) }],
  };
  const story = await openStory(
    { lead: [agent('job', 'helper'), say('done')], agents: { job: [say('ok')] } },
    {
      mcpServers: { fake: fakeServer('plain') },
      settings: '{"mcp":{"startupWaitMs":20000}}',
      agents: { helper },
    },
  );
  await story.prompt('go');
  const names = toolsOf(story.requestsOf('job')[0]);
  expect(names.filter((name) => name.endsWith('__say'))).toEqual(['mcp__fake__say']);
  expect(pidsIn(shadow)).toEqual([]);
  await story.session.close();
});
