import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, say } from '../../src/testing/index.ts';
import { place } from '../session/support.ts';
import { until } from '../support/index.ts';
import { agentTasks, notifications, openStory } from './support.ts';

function toolNames(request: ModelRequest | undefined): string[] {
  return request?.tools.map(({ name }) => name) ?? [];
}

const hire = (more: Record<string, unknown> = {}) =>
  call('Agent', { description: 'x', prompt: 'Build', subagent_type: 'general-purpose', ...more });

for (const background of [false, true])
  test(`NT5 the end of its own command wakes an agent that has ended its turn (background: ${background})`, async () => {
    const at = place();
    mkdirSync(at.cwd, { recursive: true });
    const go = join(at.cwd, 'go');
    const story = await openStory(
      {
        lead: [hire({ run_in_background: background }), say('Ok.'), say('Heard.')],
        agents: {
          Build: [
            call('Bash', {
              command: 'while [ ! -e go ]; do sleep 0.05; done; echo built',
              run_in_background: true,
            }),
            () => {
              writeFileSync(go, '');
              return say('I wait for the build.');
            },
            say('The build is green.'),
          ],
        },
      },
      { permissionMode: 'bypassPermissions' },
      at,
    );
    await story.prompt('Go');
    await story.session.finished(AbortSignal.timeout(20_000));
    const requests = story.requestsOf('Build');
    expect(requests).toHaveLength(3);
    expect(notifications(requests)).toHaveLength(1);
    expect(JSON.stringify(story.leadRequests().at(-1)?.messages)).toContain('The build is green.');
    await story.session.close();
  });

test('G8 a command that does not end keeps its agent for agents.idleSeconds, and then ends with it', async () => {
  const clock = manualClock();
  const story = await openStory(
    {
      lead: [hire(), say('Ok.')],
      agents: {
        Build: [call('Bash', { command: 'sleep 600', run_in_background: true }), say('The server runs.')],
      },
    },
    { permissionMode: 'bypassPermissions', clock, agentLimits: { idleSeconds: 60, autoBackground: 0 } },
  );
  story.session.send({ type: 'prompt', content: 'Go' });
  await until(() => story.requestsOf('Build').length === 2 && story.session.tasks().length === 2);
  const start = clock.monotonic();
  await until(() => {
    clock.advance(1_000);
    return story.leadRequests().length === 2;
  });
  expect(clock.monotonic() - start).toBeGreaterThanOrEqual(60_000);
  expect(JSON.stringify(story.leadRequests().at(-1)?.messages)).toContain('The server runs.');
  expect(agentTasks(story)[0]?.status).toBe('completed');
  expect(story.session.tasks().find(({ kind }) => kind === 'local_bash')?.status).toBe('killed');
  await story.session.close();
});

test('TF3 an agent with a shell is shown TaskOutput and TaskStop, one without is not', async () => {
  const reader = { description: 'Reads', prompt: 'Read.', tools: ['Read'] };
  const basher = { description: 'Runs', prompt: 'Run.', tools: ['Bash'] };
  const limited = { ...basher, disallowedTools: ['TaskStop'] };
  const types = ['general-purpose', 'Explore', 'basher', 'limited', 'reader'];
  const story = await openStory(
    {
      lead: [...types.map((type) => hire({ prompt: type, subagent_type: type })), say('Ok.')],
      agents: Object.fromEntries(types.map((type) => [type, [say('Done.')]])),
    },
    { agents: { reader, basher, limited } },
  );
  await story.prompt('Go');
  const shown = Object.fromEntries(
    types.map((type) => [
      type,
      toolNames(story.requestsOf(type)[0]).filter((name) => name.startsWith('Task')),
    ]),
  );
  expect(shown).toEqual({
    'general-purpose': ['TaskOutput', 'TaskStop'],
    Explore: ['TaskOutput', 'TaskStop'],
    basher: ['TaskOutput', 'TaskStop'],
    limited: ['TaskOutput'],
    reader: [],
  });
  await story.session.close();
});

test('TF3 a background agent and a worker have them too', async () => {
  const story = await openStory(
    {
      lead: [hire({ prompt: 'W', subagent_type: 'worker' }), say('Ok.'), say('Heard.')],
      agents: { W: [say('Done.')] },
    },
    { coordinator: true },
  );
  await story.prompt('Go');
  await story.session.finished(AbortSignal.timeout(10_000));
  expect(toolNames(story.requestsOf('W')[0])).toContain('TaskOutput');
  expect(toolNames(story.requestsOf('W')[0])).toContain('TaskStop');
  await story.session.close();
});
