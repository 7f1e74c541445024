import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Question } from '../../src/protocol/index.ts';
import { call, calls, say } from '../../src/testing/index.ts';
import { openStory } from '../agents/support.ts';
import { place } from '../session/support.ts';
import { temporaryDirectory, until } from '../support/index.ts';
import { fakeServer, pidsIn, processesOf, realServer, withRealServers } from './support.ts';

const patient = '{"mcp":{"startupWaitMs":20000}}';
const allowed = ['mcp__fake', 'mcp__everything', 'mcp__memory', 'mcp__files'];

test('a tool of a server is called like any other, and asked about unless a rule allows it', async () => {
  const server = { fake: fakeServer('plain') };
  const asked: Question[] = [];
  const story = await openStory(
    { lead: [call('mcp__fake__say', { text: 'hi' }), call('mcp__fake__say', {}), say('done')], agents: {} },
    {
      mcpServers: server,
      settings: patient,
      onQuestion: async (question) => {
        asked.push(question);
        return asked.length === 1 ? { behaviour: 'allow' } : { behaviour: 'deny', message: 'no' };
      },
    },
  );
  await story.prompt('go');
  expect(story.results()[0]).toBe('hi');
  expect(story.results()[1]).toContain('Permission denied: no');
  expect(asked[0]).toMatchObject({ toolName: 'mcp__fake__say', suggestions: [{ tool: 'mcp__fake__say' }] });
  await story.session.close();
  expect(processesOf(story.session.id)).toEqual([]);
});

test('an allow rule is enough for others, but who may not write is asked about what is not marked read-only (AG3)', async () => {
  const asked: string[] = [];
  const story = await openStory(
    {
      lead: [call('Agent', { description: 'look', prompt: 'look', subagent_type: 'Explore' }), say('done')],
      agents: {
        look: [
          calls([call('mcp__fake__say', { text: 'a' }), call('mcp__fake__write', { text: 'b' })]),
          say('seen'),
        ],
      },
    },
    {
      mcpServers: { fake: fakeServer('plain') },
      settings: patient,
      allowedTools: ['mcp__fake', 'Agent'],
      onQuestion: async ({ toolName }) => {
        asked.push(toolName);
        return { behaviour: 'deny', message: 'no' };
      },
    },
  );
  await story.prompt('go');
  expect(asked).toEqual(['mcp__fake__write']);
  await story.session.close();
});

withRealServers('two agents use a real server at once over one connection (MC1)', async () => {
  const agent = (prompt: string) =>
    call('Agent', { description: prompt, prompt, subagent_type: 'general-purpose' });
  const turn = (prompt: string) => [
    call('mcp__everything__echo', { message: prompt }),
    say(`${prompt} done`),
  ];
  const story = await openStory(
    {
      lead: [calls([agent('one'), agent('two')]), say('done')],
      agents: { one: turn('one'), two: turn('two') },
    },
    { mcpServers: { everything: realServer('everything') }, settings: patient, allowedTools: allowed },
  );
  await story.prompt('go');
  expect(JSON.stringify(story.requestsOf('one').at(-1)?.messages)).toContain('Echo: one');
  expect(JSON.stringify(story.requestsOf('two').at(-1)?.messages)).toContain('Echo: two');
  expect((await story.session.mcp().openPool()).connected()).toBe(1);
  await story.session.close();
  expect(processesOf(story.session.id)).toEqual([]);
});

withRealServers('a hundred agents with three real servers: three processes, none left (MC1)', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const count = 100;
  const prompts = Array.from({ length: count }, (_, index) => `job ${index}`);
  const starts = prompts.map((prompt) => call('Agent', { description: prompt, prompt }));
  const agents = Object.fromEntries(
    prompts.map((prompt) => [
      prompt,
      [
        calls([
          call('mcp__everything__echo', { message: prompt }),
          call('mcp__memory__read_graph', {}),
          call('mcp__files__list_directory', { path: at.cwd }),
        ]),
        say('done'),
      ],
    ]),
  );
  const story = await openStory(
    { lead: [calls(starts), say('done')], agents },
    {
      mcpServers: {
        everything: realServer('everything'),
        memory: realServer('memory'),
        files: realServer('filesystem', at.cwd),
      },
      settings: patient,
      allowedTools: [...allowed, 'Agent'],
      agentLimits: { maxConcurrent: 100, maxTotal: 200, askAboveAgents: 1000, askAboveUsd: 1000 },
    },
    at,
  );
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, processesOf(story.session.id).length);
  }, 20);
  await story.prompt('go');
  clearInterval(watch);
  const last = prompts.map((prompt) => JSON.stringify(story.requestsOf(prompt).at(-1)?.messages));
  expect(last.filter((text, index) => text?.includes(`Echo: job ${index}`))).toHaveLength(count);
  expect((await story.session.mcp().openPool()).connected()).toBe(3);
  expect(most).toBe(3);
  await story.session.close();
  expect(processesOf(story.session.id)).toEqual([]);
});

test('a server that comes late changes no request, and is reached through one tool (P1)', async () => {
  const story = await openStory(
    {
      lead: [
        call('McpCall', { server: 'slow' }),
        call('McpCall', { server: 'slow', tool: 'say', arguments: { text: 'late but there' } }),
        say('done'),
      ],
      agents: {},
    },
    { mcpServers: { slow: fakeServer('slow') }, allowedTools: ['mcp__slow__say'] },
  );
  await story.prompt('go');
  const [first, ...rest] = story.leadRequests();
  expect(first?.tools.map((tool) => tool.name)).toContain('McpCall');
  for (const request of rest) expect(JSON.stringify(request.tools)).toBe(JSON.stringify(first?.tools));
  expect(story.results()[0]).toContain('mcp__slow__say: Says what it is given.');
  expect(story.results()[1]).toBe('late but there');
  await story.session.close();
});

test('a late tool that is called by its own name is waited for, and then it is called', async () => {
  const sayLate = call('mcp__slow__say', { text: 'late but there' });
  const story = await openStory(
    {
      lead: [sayLate, sayLate, call('mcp__slow__write', {}), call('mcp__slow__none', {}), say('done')],
      agents: {},
    },
    {
      mcpServers: { slow: fakeServer('slow') },
      allowedTools: ['mcp__slow'],
      disallowedTools: ['mcp__slow__write'],
    },
  );
  await story.prompt('go');
  expect(story.results()[0]).toContain('slow is connected now. Call again.');
  expect(story.results()[1]).toBe('late but there');
  expect(story.results()[2]).toContain('There is no tool "mcp__slow__write"');
  expect(story.results()[3]).toContain('slow has no tool none');
  await story.session.close();
});

test('what McpCall stands for is judged by its own name', async () => {
  const story = await openStory(
    {
      lead: [
        call('McpCall', { server: 'slow' }),
        call('McpCall', { server: 'slow', tool: 'write' }),
        say('done'),
      ],
      agents: {},
    },
    { mcpServers: { slow: fakeServer('slow') }, allowedTools: ['McpCall', 'mcp__slow__say'] },
  );
  await story.prompt('go');
  expect(story.results()[1]).toContain('Permission denied');
  await story.session.close();
});

test('McpCall does not list what the agent is denied, nor what its type does not have', async () => {
  const turns = () => [
    call('McpCall', { server: 'slow' }),
    call('McpCall', { server: 'slow', tool: 'write' }),
    say('done'),
  ];
  const options = { mcpServers: { slow: fakeServer('slow') }, allowedTools: ['McpCall'] };
  const agents = {
    own: { description: 'Own', prompt: 'You are your own.', tools: ['McpCall', 'mcp__slow__say'] },
  };
  for (const more of [{ disallowedTools: ['mcp__slow__write'] }, { agents, agent: 'own' }]) {
    const story = await openStory({ lead: turns(), agents: {} }, { ...options, ...more });
    await story.prompt('go');
    const [listed, called] = story.results();
    expect(listed).toContain('mcp__slow__say');
    expect(listed).not.toContain('mcp__slow__write');
    expect(called).not.toContain('wrote');
    await story.session.close();
  }
});

test('tools that are known from a session before are there at once, without waiting for the server', async () => {
  const at = place();
  const answers = join(temporaryDirectory().path, 'answers');
  const servers = { mcpServers: { slow: fakeServer('held', answers) } };
  // Whoever waited for a server that does not answer would not be done within any test's time.
  const endless = { settings: '{"mcp":{"startupWaitMs":600000}}' };
  writeFileSync(answers, '');
  const first = await openStory({ lead: [say('a')], agents: {} }, { ...servers, ...endless }, at);
  await first.prompt('go');
  await first.session.close();
  rmSync(answers);
  const second = await openStory({ lead: [say('b')], agents: {} }, { ...servers, ...endless }, at);
  await second.prompt('go');
  expect(second.leadRequests()[0]?.tools.map((tool) => tool.name)).toContain('mcp__slow__say');
  expect(second.leadRequests()[0]?.tools.map((tool) => tool.name)).not.toContain('McpCall');
  await second.session.close();
});

test("an agent's own server lives as long as the agent, and only it has its tools (CX2)", async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const started = join(at.cwd, 'started');
  const story = await openStory(
    {
      lead: [call('Agent', { description: 'x', prompt: 'x', subagent_type: 'helper' }), say('done')],
      agents: { x: [call('mcp__own__say', { text: 'mine' }), say('ok')] },
    },
    {
      agents: {
        helper: { description: 'helps', prompt: 'help', mcpServers: [{ own: fakeServer('plain', started) }] },
      } as never,
      allowedTools: ['mcp__own', 'Agent'],
    },
    at,
  );
  await story.prompt('go');
  expect(JSON.stringify(story.requestsOf('x').at(-1)?.messages)).toContain('mine');
  expect(story.leadRequests()[0]?.tools.map((tool) => tool.name)).not.toContain('mcp__own__say');
  expect(pidsIn(started)).toHaveLength(1);
  expect(processesOf(story.session.id)).toEqual([]);
  await story.session.close();
});

test('a hostile repository starts nothing before trust: no server of .mcp.json, settings or agent files', async () => {
  const at = place();
  const mark = join(at.cwd, 'mark');
  const evil = fakeServer('plain', mark);
  mkdirSync(join(at.cwd, '.cadre/agents'), { recursive: true });
  mkdirSync(join(at.cwd, '.git'));
  writeFileSync(join(at.cwd, '.mcp.json'), JSON.stringify({ mcpServers: { evil } }));
  writeFileSync(
    join(at.cwd, '.cadre/settings.json'),
    JSON.stringify({
      mcpServers: { evil2: evil },
      enableAllProjectMcpServers: true,
      enabledMcpjsonServers: ['evil'],
    }),
  );
  writeFileSync(
    join(at.cwd, '.cadre/agents/helper.md'),
    `---\nname: helper\ndescription: helps\nmcpServers:\n  - evil3: ${JSON.stringify(evil)}\n---\nHelp.`,
  );
  const story = await openStory(
    {
      lead: [call('Agent', { description: 'x', prompt: 'x', subagent_type: 'helper' }), say('done')],
      agents: { x: [say('ok')] },
    },
    { settings: patient, allowedTools: ['Agent'] },
    at,
  );
  await story.prompt('go');
  await story.session.close();
  expect(pidsIn(mark)).toEqual([]);
  const notices = story.events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
  expect(notices.join('\n')).toContain('you have not trusted it (run cadre trust): MCP server evil.');
});

test('a session without servers loads nothing of MCP', async () => {
  const directory = join(import.meta.dirname, '../../src/session');
  const loads = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => {
    if (!name.endsWith('.ts')) return false;
    const path = join(directory, name);
    const values = readFileSync(path, 'utf8').matchAll(/^import (?!type\b)[^;]*from '(\.[^']*)'/gm);
    return [...values].some(([, from = '']) => join(dirname(path), from).includes('/src/mcp/'));
  });
  // Itself loaded with the first server.
  expect(loads).toEqual(['mcp/open-pool.ts']);
});

withRealServers("a server's prompts are slash commands, with arguments by place", async () => {
  const story = await openStory(
    { lead: [say('a'), say('b')], agents: {} },
    { mcpServers: { everything: realServer('everything') }, settings: patient },
  );
  await story.prompt('hello');
  const pool = await story.session.mcp().openPool();
  await until(() => pool.prompts().length > 0);
  await story.prompt('/mcp__everything__args-prompt Paris');
  expect(JSON.stringify(story.leadRequests().at(-1)?.messages)).toContain("What's weather in Paris");
  await story.session.close();
});
