import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { applyEffort } from '../../src/models/effort.ts';
import { findFacts } from '../../src/models/facts.ts';
import type { Effort } from '../../src/protocol/effort.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { follow, place } from '../session/support.ts';
import { openStory } from './support.ts';

function applied(id: string, effort: Effort | undefined) {
  return applyEffort(effort, { facts: findFacts('anthropic', id) } as never);
}

const amounts = { off: 0, adaptive: 1, budget: 1 } as const;

test('more effort never asks for less: every level is at least the one below it', () => {
  const levels = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
  for (const id of [
    'claude-opus-5-5',
    'claude-haiku-5-5',
    'claude-opus-5',
    'claude-opus-4-6',
    'claude-sonnet-4-5',
  ]) {
    const found = levels.map((level) => applied(id, level));
    const thinking = found.map(({ thinking }) => amounts[thinking.type]);
    expect([id, thinking]).toEqual([id, [...thinking].sort()]);
    const budgets = found.map(({ thinking }) => (thinking.type === 'budget' ? thinking.tokens : 0));
    expect([id, budgets]).toEqual([id, [...budgets].sort((a, b) => a - b)]);
  }
});

test('low effort does not switch thinking on that an agent without effort would not have', () => {
  for (const id of ['claude-haiku-5-5', 'claude-opus-5', 'claude-sonnet-4-5'])
    expect([id, applied(id, 'low').thinking]).toEqual([id, applied(id, undefined).thinking]);
});

test('the budget of an effort leaves at least half of the answer', () => {
  const { thinking } = applied('claude-opus-4-1', 'max');
  expect(thinking).toEqual({ type: 'budget', tokens: 16_000 });
});

test('a number of tokens is a budget, or the level that comes nearest to it', () => {
  expect(applied('claude-sonnet-4-5', 5_000)).toEqual({ thinking: { type: 'budget', tokens: 5_000 } });
  expect(applied('claude-opus-5-5', 1_500)).toMatchObject({ effort: 'low' });
  expect(applied('claude-opus-5-5', 20_000)).toMatchObject({ effort: 'xhigh' });
});

async function bodies(script: Parameters<typeof fakeProvider>[0]['script'], options: SessionOptions) {
  await using provider = await fakeProvider({ script });
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const environment = { ...at.environment, ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: provider.url };
  const opened = await openSession({ cwd: at.cwd, environment, model: 'opus', sandbox: false, ...options });
  if (!opened.ok) throw new Error(opened.problem.message);
  const { session, prompt } = follow(opened.value, undefined as never);
  await prompt('Go.');
  await session.close();
  return provider.requests.map(
    ({ json }) => (json?.output_config as { effort?: string } | undefined)?.effort,
  );
}

test('AG1 the effort of a call reaches the provider', async () => {
  const agent = call('Agent', { description: 'a', prompt: 'Do it.', effort: 'low' });
  expect(await bodies([agent, say('done'), say('ok')], {})).toEqual([undefined, 'low', undefined]);
});

test('AG5 the effort of a definition reaches the provider, for sub-agents and for --agent', async () => {
  const agents = { deep: { description: 'd', prompt: 'You think.', effort: 'xhigh' as const } };
  const agent = call('Agent', { description: 'a', prompt: 'Do it.', subagent_type: 'deep' });
  expect(await bodies([agent, say('done'), say('ok')], { agents })).toEqual([undefined, 'xhigh', undefined]);
  expect(await bodies([say('ok')], { agents, agent: 'deep' })).toEqual(['xhigh']);
});

test('TS2 an agent that continues keeps the effort of its call', async () => {
  const story = await openStory({
    lead: [
      call('Agent', { description: 'a', prompt: 'Do it.', effort: 'high', name: 'scout' }),
      call('SendMessage', { to: 'scout', message: 'And now?' }),
      say('waiting'),
      say('ok'),
    ],
    agents: { 'Do it.': [say('first'), say('second')] },
  });
  await story.prompt('Go.');
  await story.session.finished(AbortSignal.timeout(10_000));
  expect(story.requestsOf('Do it.').map(({ effort }) => effort)).toEqual(['high', 'high']);
  await story.session.close();
});

test('AG1 thinking that the user has switched off stays off for agents with an effort', async () => {
  const agent = call('Agent', { description: 'a', prompt: 'Do it.', effort: 'high' });
  await using provider = await fakeProvider({ script: [agent, say('done'), say('ok')] });
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const environment = { ...at.environment, ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: provider.url };
  const opened = await openSession({
    ...{ cwd: at.cwd, environment, model: 'opus', sandbox: false },
    thinking: { type: 'off' },
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  await follow(opened.value, undefined as never).prompt('Go.');
  await opened.value.close();
  const sent = provider.requests.map(({ json }) => (json?.thinking as { type?: string } | undefined)?.type);
  expect(sent.filter((type) => type === 'adaptive' || type === 'enabled')).toEqual([]);
});
