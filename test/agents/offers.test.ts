import { expect, test } from 'bun:test';
import { existsSync, mkdirSync } from 'node:fs';
import { renderAgentDescription } from '../../src/agents/agent-schema.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { fillSection } from '../../src/settings/environment.ts';
import { agents as agentSettings } from '../../src/settings/table/agents.ts';
import { call, calls, hang, memoryPlacement, say } from '../../src/testing/index.ts';
import { place } from '../session/support.ts';
import { agentTasks, openStory } from './support.ts';

function agentSpec(request: ModelRequest | undefined) {
  const tool = request?.tools.find(({ name }) => name === 'Agent');
  return { text: tool?.description ?? '', schema: JSON.stringify(tool?.inputSchema) };
}

test('AG7 CADRE_SUBAGENT_MODEL does not override model: inherit of a definition or a call', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const environment = { ...at.environment, CADRE_SUBAGENT_MODEL: 'nobody/nothing' };
  const heir = { description: 'x', prompt: 'x', model: 'inherit' };
  const other = { description: 'x', prompt: 'x' };
  const hire = (prompt: string, more: object) => call('Agent', { description: 'x', prompt, ...more });
  const story = await openStory(
    {
      lead: [
        hire('by definition', { subagent_type: 'heir' }),
        hire('by call', { subagent_type: 'other', model: 'inherit' }),
        hire('neither', { subagent_type: 'other' }),
        say('Ok.'),
      ],
      agents: { 'by definition': [say('Done.')], 'by call': [say('Done.')] },
    },
    { agents: { heir, other } },
    { ...at, environment },
  );
  await story.prompt('Go');
  expect(agentTasks(story).map(({ status }) => status)).toEqual(['completed', 'completed']);
  expect(story.results()[2]).toContain('CADRE_SUBAGENT_MODEL');
  await story.session.close();
});

test('EX3 CLAUDE_AUTO_BACKGROUND_TASKS means CADRE_AUTO_BACKGROUND_TASKS', () => {
  const read = (environment: Record<string, string>) =>
    fillSection(agentSettings.section, {}, environment).autoBackground;
  expect(read({ CLAUDE_AUTO_BACKGROUND_TASKS: '30' })).toBe(30);
  expect(read({ CLAUDE_AUTO_BACKGROUND_TASKS: '0' })).toBe(0);
  expect(read({ CADRE_AUTO_BACKGROUND_TASKS: '5', CLAUDE_AUTO_BACKGROUND_TASKS: '30' })).toBe(5);
});

test('AG6 denied types, and types that run elsewhere, are not offered while they cannot be had', async () => {
  const far = { description: 'Far away.', prompt: 'x', isolation: 'remote' as const };
  const near = { description: 'Near by.', prompt: 'x' };
  const story = await openStory(
    { lead: [say('Ok.')], agents: {} },
    { agents: { far, near }, disallowedTools: ['Agent(Explore)'] },
  );
  await story.prompt('Go');
  const { text, schema } = agentSpec(story.leadRequests()[0]);
  expect(text).toContain('- near:');
  expect(text).toContain('- Plan:');
  expect(text).not.toContain('- Explore:');
  expect(text).not.toContain('- far:');
  expect(schema).toContain('worktree');
  expect(schema).not.toContain('remote');
  await story.session.close();
});

test('AG6 where agents can run elsewhere, that is offered', async () => {
  const far = { description: 'Far away.', prompt: 'x', isolation: 'remote' as const };
  const feature = {
    name: 'elsewhere',
    open: () => ({ placements: [memoryPlacement('remote', () => 'Done.')] }),
  };
  const story = await openStory(
    { lead: [say('Ok.')], agents: {} },
    { agents: { far }, features: [feature as never] },
  );
  await story.prompt('Go');
  const { text, schema } = agentSpec(story.leadRequests()[0]);
  expect(text).toContain('- far:');
  expect(schema).toContain('remote');
  await story.session.close();
});

test('FK5 with forking on the text about agents is true: they see the conversation, and run in the background', () => {
  const forking = renderAgentDescription([], { forking: true });
  expect(forking).toContain('fork');
  expect(forking).toContain('runs in the background');
  expect(forking).not.toContain('The agent does not see this conversation');
  expect(forking).not.toContain('returns its last message');
  expect(renderAgentDescription([])).toContain('The agent does not see this conversation');
});

test('EX2 the output file that a model is told of exists, also before the agent has said anything', async () => {
  const story = await openStory(
    {
      lead: [
        call('Agent', { description: 'x', prompt: 'Wait', run_in_background: true }),
        call('Bash', { command: 'sleep 60', run_in_background: true }),
        say('Ok.'),
      ],
      agents: { Wait: [hang(say(''))] },
    },
    { permissionMode: 'bypassPermissions' },
  );
  await story.prompt('Go');
  const files = story.results().flatMap((text) => /(\/\S+\.output)/.exec(text)?.[1] ?? []);
  expect(files).toHaveLength(2);
  for (const file of files) expect([file, existsSync(file)]).toEqual([file, true]);
  await story.session.close();
});

test('TM10 a name that another agent has is told: messages reach the new one, the other is reached by its id', async () => {
  const hire = (prompt: string) =>
    call('Agent', { description: 'x', prompt, name: 'scout', run_in_background: true });
  const story = await openStory({
    lead: [calls([hire('One'), hire('Two')]), say('Ok.')],
    agents: { One: [hang(say(''))], Two: [hang(say(''))] },
  });
  await story.prompt('Go');
  const [first] = agentTasks(story);
  const told = story.results().filter((text) => text.includes('The name scout'));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain(first?.id ?? 'no id');
  await story.session.close();
});

test('AG8 tokens are what was spent, in every place that shows them', async () => {
  const usage = { input_tokens: 100, output_tokens: 10 };
  const story = await openStory({
    lead: [call('Agent', { description: 'x', prompt: 'Work' }), say('Ok.')],
    agents: {
      Work: [
        { ...call('Glob', { pattern: '*' }), usage },
        { ...say('Done.'), usage },
      ],
    },
  });
  await story.prompt('Go');
  const [task] = agentTasks(story);
  const spent = 220;
  expect(task?.agent?.progress.spentTokens).toBe(spent);
  expect(story.toolData()[0]).toMatchObject({ totalTokens: spent });
  expect(story.results()[0]).toContain(`${spent} tokens`);
  await story.session.close();
});
