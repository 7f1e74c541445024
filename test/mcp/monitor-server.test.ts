import { expect, test } from 'bun:test';
import { call, say } from '../../src/testing/index.ts';
import { openStory } from '../agents/support.ts';
import { fakeServer } from './support.ts';

const settings = '{"mcp":{"startupWaitMs":20000}}';
const watched = { server: 'the fake', description: 'watch it', timeout_ms: 1_000 };

test('a server that is not there is not watched', async () => {
  const story = await openStory(
    { lead: [call('Monitor', { ...watched, server: 'nobody' }), say('done')], agents: {} },
    { mcpServers: { 'the fake': fakeServer('plain') }, settings, allowedTools: ['Monitor'] },
  );
  await story.prompt('go');
  expect(story.results()[0]).toBe('There is no MCP server nobody; available: the fake.');
  await story.session.close();
});

test('a rule for a server covers what is read and watched of it, as rules name it', async () => {
  const turns = () => [
    call('ReadMcpResourceTool', { server: 'the fake', uri: 'x://y' }),
    call('Monitor', watched),
    say('done'),
    say('over'),
  ];
  const servers = { mcpServers: { 'the fake': fakeServer('plain') }, settings };
  const reasons: string[] = [];
  const refused = await openStory(
    { lead: turns(), agents: {} },
    {
      ...servers,
      onQuestion: async (question) => {
        reasons.push(JSON.stringify(question));
        return { behaviour: 'deny', message: 'no' };
      },
    },
  );
  await refused.prompt('go');
  expect(reasons).toHaveLength(2);
  for (const reason of reasons)
    expect(reason).toContain(
      'the MCP server the_fake, and no rule allows that (the rule mcp__the_fake would)',
    );
  await refused.session.close();
  const allowed = await openStory(
    { lead: turns(), agents: {} },
    { ...servers, allowedTools: ['mcp__the_fake'] },
  );
  await allowed.prompt('go');
  expect(allowed.results()[0]).toContain('The MCP server the fake says');
  expect(allowed.results()[1]).toContain('Watching as task');
  await allowed.session.close();
  const denied = await openStory(
    { lead: turns(), agents: {} },
    { ...servers, allowedTools: ['Monitor', 'ReadMcpResourceTool'], disallowedTools: ['mcp__the_fake'] },
  );
  await denied.prompt('go');
  for (const result of denied.results().slice(0, 2)) expect(result).toContain('denied');
  await denied.session.close();
});
