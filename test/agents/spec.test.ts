import { expect, test } from 'bun:test';
import type { AgentStep } from '../../src/agents/kernel.ts';
import { prepareAgent, releaseAgent } from '../../src/agents/prepare-agent.ts';
import type { AgentRequest } from '../../src/agents/spec.ts';
import { ok, usage } from '../../src/lib/result.ts';
import type { Feature } from '../../src/session/feature.ts';
import { call, memoryPlacement, say } from '../../src/testing/index.ts';
import { stage } from '../loop/support.ts';
import { stageAgents } from './stage.ts';
import { openStory } from './support.ts';

const request: AgentRequest = {
  toolUseId: 'toolu_1',
  description: 'a test',
  prompt: 'Do it.',
  type: undefined,
  background: false,
};

function noting(name: string, seen: string[], refuses = false): AgentStep {
  return {
    name,
    complete() {
      seen.push(`${name} completed`);
      return refuses ? usage(`${name} refuses`) : ok(undefined);
    },
    release: () => void seen.push(`${name} released`),
  };
}

async function prepare(steps: AgentStep[], refuse?: () => string | undefined) {
  const agents = stageAgents({ steps });
  const parent = { context: stage([]).agent, account: {} as never };
  const { signal } = new AbortController();
  const options = refuse ? { signal, refuse } : { signal };
  return { agents, begun: await prepareAgent(agents, parent, request, options, (spec) => spec) };
}

test('steps complete an agent in their order, and its clean-up is the reverse', async () => {
  const seen: string[] = [];
  const { agents, begun } = await prepare([noting('one', seen), noting('two', seen)]);
  if (begun.ok) await releaseAgent(agents, begun.value);
  expect(seen).toEqual(['one completed', 'two completed', 'two released', 'one released']);
});

test('a step that fails ends the start, and those before it give back what they took', async () => {
  const seen: string[] = [];
  const steps = [noting('one', seen), noting('two', seen), noting('three', seen, true), noting('four', seen)];
  const { begun } = await prepare(steps);
  expect(begun).toMatchObject({ ok: false, problem: { message: 'three refuses' } });
  expect(seen.slice(3)).toEqual(['two released', 'one released']);
});

test('a step that throws is a fault, and those before it give back what they took', async () => {
  const seen: string[] = [];
  const throwing: AgentStep = {
    name: 'throwing',
    complete() {
      throw new Error('a fault');
    },
  };
  await expect(prepare([noting('one', seen), throwing])).rejects.toThrow('a fault');
  expect(seen).toEqual(['one completed', 'one released']);
});

test('a step that cannot give back keeps none of the others from it', async () => {
  const seen: string[] = [];
  const stuck: AgentStep = {
    name: 'stuck',
    complete: () => ok(undefined),
    release() {
      throw new Error('stuck');
    },
  };
  const { agents, begun } = await prepare([noting('one', seen), stuck]);
  if (begun.ok) await expect(releaseAgent(agents, begun.value)).rejects.toThrow('stuck');
  expect(seen).toEqual(['one completed', 'one released']);
});

test('an agent that may not begin any more gives back what all its steps took', async () => {
  const seen: string[] = [];
  const { begun } = await prepare([noting('one', seen)], () => 'too late');
  expect(begun).toMatchObject({ ok: false, problem: { message: 'too late' } });
  expect(seen).toEqual(['one completed', 'one released']);
});

test('a feature adds to every agent after the named steps, and hears of its end', async () => {
  const seen: string[] = [];
  const feature: Feature = {
    name: 'signing',
    open: () => ({
      agentSteps: [
        {
          name: 'signing',
          complete(spec) {
            seen.push(`${spec.definition?.name} begins with ${spec.tools.listed.length > 0}`);
            spec.system.push('Sign what you say with your name.');
            return ok(undefined);
          },
          release: ({ id }) => void seen.push(`${id.slice(0, 1)} ended`),
        },
      ],
    }),
  };
  const story = await openStory(
    {
      lead: [call('Agent', { description: 'Help', prompt: 'Work' }), say('Ok.')],
      agents: { Work: [say('Done.')] },
    },
    { features: [feature] },
  );
  await story.prompt('Go');
  expect(story.requestsOf('Work')[0]?.system.at(-1)).toBe('Sign what you say with your name.');
  expect(seen).toEqual(['general-purpose begins with true', 'a ended']);
  await story.session.close();
});

test('an agent runs where a placement is registered for it, and its clean-up is the same', async () => {
  const remote = memoryPlacement('remote', ({ request: { prompt } }) => `${prompt} was done elsewhere.`);
  const seen: string[] = [];
  const feature: Feature = {
    name: 'elsewhere',
    open: () => ({ placements: [remote], agentSteps: [noting('elsewhere', seen)] }),
  };
  const hire = call('Agent', { description: 'Help', prompt: 'Work', isolation: 'remote' });
  const story = await openStory({ lead: [hire, say('Ok.')], agents: {} }, { features: [feature] });
  await story.prompt('Go');
  // It is always in the background.
  expect(story.results()[0]).toContain('The agent runs in the background. Its id is r');
  expect(remote.specs.map(({ place }) => place.runsAt)).toEqual(['remote']);
  expect(seen).toEqual(['elsewhere completed', 'elsewhere released']);
  expect(story.session.tasks().map(({ status }) => status)).toEqual(['completed']);
  await story.session.close();
});
