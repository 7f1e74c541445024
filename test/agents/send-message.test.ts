import { expect, test } from 'bun:test';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, calls, hang, lastUserText, say, toolResultText } from '../../src/testing/index.ts';
import { agentTasks, crash, gate, nextEvent, notifications, openStory, quiet } from './support.ts';

const write = (message: string, to = 'helper') => call('SendMessage', { to, message });
const hire = (prompt: string, more = {}) =>
  call('Agent', { description: prompt, prompt, name: 'helper', ...more });

/** A lead that hires at the first prompt and does what it is told at later ones. */
function leadThat(first: ReturnType<typeof calls>, commands: Record<string, ReturnType<typeof call>>) {
  return (request: ModelRequest) => {
    const text = lastUserText(request);
    if (text === 'Go') return first;
    return commands[text] ?? say('Ok.');
  };
}

test('TM10 a running agent reads mail at its next step', async () => {
  const step = gate();
  const story = await openStory({
    lead: leadThat(hire('Work', { run_in_background: true }), { Write: write('Mind the tests.') }),
    agents: { Work: [() => step.opened.then(() => call('Glob', { pattern: '*' })), say('Minded.')] },
  });
  await story.prompt('Go');
  await story.prompt('Write');
  step.open();
  await quiet(story);
  const [, second] = story.requestsOf('Work');
  expect(lastUserText(second as ModelRequest)).toMatch(
    /^<teammate-message from="main" id="[^"]+">\nMind the tests.\n/,
  );
  expect(story.toolData().at(-1)).toMatchObject({ delivery: 'queued' });
  await story.session.close();
});

test('TM10 an agent that was stopped by an agent goes on, by its id too', async () => {
  const story = await openStory({
    lead: (request) => {
      const text = lastUserText(request);
      if (text === 'Go') return hire('Work', { run_in_background: true });
      if (text === 'Stop') return call('TaskStop', { task_id: 'helper' });
      if (text === 'Write') return write('Go on, then.', agentTasks(story)[0]?.id ?? '');
      return say('Ok.');
    },
    agents: { Work: [hang(say('I was at it')), say('Finished now.')] },
  });
  await story.prompt('Go');
  await story.prompt('Stop');
  await quiet(story);
  await story.prompt('Write');
  await quiet(story);
  expect(notifications(story.leadRequests()).map((text) => /<status>(\w+)/.exec(text)?.[1])).toEqual([
    'killed',
    'completed',
  ]);
  const [, again] = story.requestsOf('Work');
  expect(lastUserText(again as ModelRequest)).toContain('Go on, then.');
  await story.session.close();
});

test('TM10 what the user stopped only the user goes on with', async () => {
  const story = await openStory({
    lead: leadThat(hire('Work', { run_in_background: true }), { Write: write('Go on.') }),
    agents: { Work: [hang()] },
  });
  await story.prompt('Go');
  story.session.send({ type: 'stop_task', taskId: agentTasks(story)[0]?.id ?? '' });
  await quiet(story);
  await story.prompt('Write');
  expect(story.results().at(-1)).toContain('The user stopped the agent');
  expect(story.requestsOf('Work')).toHaveLength(1);
  await story.session.close();
});

test('TM10 an unknown recipient is refused with those there are', async () => {
  const story = await openStory({
    lead: leadThat(hire('Work'), { Write: write('Hello?', 'nobody') }),
    agents: { Work: [say('Done.')] },
  });
  await story.prompt('Go');
  await story.prompt('Write');
  expect(story.results().at(-1)).toMatch(/There is no agent "nobody"\. Known agents: helper \(a\w+\)\.$/);
  await story.session.close();
});

test('TS2 an agent goes on with the same model, system prompt and tools, as a new run', async () => {
  const story = await openStory({
    lead: leadThat(hire('Work'), { Write: write('More.') }),
    agents: { Work: [say('Done.'), say('Done more.')] },
  });
  await story.prompt('Go');
  const first = agentTasks(story)[0];
  await story.prompt('Write');
  await quiet(story);
  const again = agentTasks(story)[0];
  expect(again?.id).toBe(first?.id as string);
  expect(again?.runId).not.toBe(first?.runId as string);
  const [before, after] = story.requestsOf('Work');
  expect(after?.tools).toEqual(before?.tools as ModelRequest['tools']);
  expect(after?.system).toEqual(before?.system as string[]);
  await story.session.close();
});

test('TM10 a message to an agent that is just ending is not lost: it goes on with it', async () => {
  const story = await openStory(
    {
      lead: leadThat(hire('Work', { run_in_background: true }), { Write: write('One thing more.') }),
      agents: {
        Work: [
          call('Bash', {
            command: 'trap "" TERM; touch deaf; while :; do sleep 1; done',
            run_in_background: true,
          }),
          call('Bash', { command: 'until [ -e deaf ]; do sleep 0.02; done' }),
          // A run that did not complete waits for none of its commands.
          { ...say('Done.'), stopReason: 'max_tokens' },
          say('Also done.'),
        ],
      },
    },
    { permissionMode: 'bypassPermissions' },
  );
  const ends = nextEvent(story, (event) => event.type === 'run_ended' && event.agentId !== null);
  await story.prompt('Go');
  await ends;
  // Its shell does not want to go: it is still under way, and reads no more.
  expect(agentTasks(story)[0]?.status).toBe('running');
  await story.prompt('Write');
  await quiet(story);
  expect(JSON.stringify(story.requestsOf('Work').at(-1)?.messages)).toContain('One thing more.');
  expect(
    notifications(story.leadRequests()).map((text) => /<result>(.*?)<\/result>/.exec(text)?.[1]),
  ).toEqual(['Done.', 'Also done.']);
  await story.session.close();
});

test('TM10 mail that an agent did not come to read is there when it goes on', async () => {
  const step = gate();
  const story = await openStory({
    lead: leadThat(hire('Work', { run_in_background: true }), {
      Write: write('First message.'),
      Again: write('Second message.'),
    }),
    agents: {
      Work: [
        () => step.opened.then(() => ({ ...say('Cut'), stopReason: 'refusal' as const })),
        say('Both read.'),
      ],
    },
  });
  await story.prompt('Go');
  await story.prompt('Write');
  step.open();
  await quiet(story);
  await story.prompt('Again');
  await quiet(story);
  const text = JSON.stringify(story.requestsOf('Work').at(-1)?.messages);
  expect(text.match(/First message\./g)).toHaveLength(1);
  expect(text.indexOf('First message.')).toBeLessThan(text.indexOf('Second message.'));
  await story.session.close();
});

test('TM10 mail that came while an agent was stopped in a tool is there when it goes on, once', async () => {
  const story = await openStory(
    {
      lead: leadThat(hire('Work', { run_in_background: true }), { Write: write('First message.') }),
      agents: { Work: [call('Bash', { command: 'sleep 60' }), say('Both read.')] },
    },
    { permissionMode: 'bypassPermissions' },
  );
  const began = nextEvent(story, (event) => event.type === 'tool_started' && event.toolName === 'Bash');
  await story.prompt('Go');
  await began;
  await story.prompt('Write');
  story.session.send({ type: 'stop_task', taskId: 'helper' });
  await quiet(story);
  await story.session.messageAgent('helper', 'Second message.');
  await quiet(story);
  const text = JSON.stringify(story.requestsOf('Work').at(-1)?.messages);
  expect(text.match(/First message\./g)).toHaveLength(1);
  expect(text.indexOf('First message.')).toBeLessThan(text.indexOf('Second message.'));
  await story.session.close();
});

test.each([
  ['delegate', {}],
  ['fork', { agentLimits: { fork: true } }],
])('SE1 TM10 after a restart an agent goes on from its transcript, by name: a %s', async (_, options) => {
  const story = await openStory(
    { lead: leadThat(hire('Work'), {}), agents: { Work: [say('The first part.')] } },
    options,
  );
  await story.prompt('Go');
  await quiet(story);
  const again = await crash(
    story,
    {
      lead: leadThat(hire('x'), { Write: write('The second part?') }),
      agents: { Work: [say('The second part.')] },
    },
    options,
  );
  await again.prompt('Write');
  await quiet(again);
  const [before] = story.requestsOf('Work');
  const [after] = again.requestsOf('Work');
  expect(after?.messages.slice(0, before?.messages.length)).toEqual([...(before?.messages ?? [])]);
  expect(after?.messages.length).toBe((before?.messages.length ?? 0) + 2);
  expect(notifications(again.leadRequests()).at(-1)).toContain('<result>The second part.</result>');
  await again.session.close();
  await story.session.close();
});

test('TM10 a fork has the tool of its parent, but no agents to write to', async () => {
  const story = await openStory(
    {
      lead: leadThat(hire('Fork'), {}),
      agents: { Fork: [write('Hello.'), say('I could not.')] },
    },
    { agentLimits: { fork: true } },
  );
  await story.prompt('Go');
  await quiet(story);
  expect(toolResultText(story.requestsOf('Fork')[1] as ModelRequest)).toContain('You did not start');
  await story.session.close();
});

test('TM10 G3 mail that was acknowledged and not read yet outlives a crash, and is delivered once', async () => {
  const story = await openStory({
    lead: leadThat(hire('Work', { run_in_background: true }), { Write: write('First message.') }),
    agents: { Work: [hang()] },
  });
  await story.prompt('Go');
  await story.prompt('Write');
  const again = await crash(story, {
    lead: leadThat(hire('x'), { Again: write('Second message.'), Third: write('Third message.') }),
    agents: { Work: [say('Both read.'), say('All read.')] },
  });
  await again.prompt('Hear what became of it');
  await again.prompt('Again');
  await quiet(again);
  await again.prompt('Third');
  await quiet(again);
  const text = JSON.stringify(again.requestsOf('Work').at(-1)?.messages);
  expect(text.match(/(First|Second|Third) message\./g)).toEqual([
    'First message.',
    'Second message.',
    'Third message.',
  ]);
  await again.session.close();
  await story.session.close();
});

test.each([
  ['delegate', {}],
  ['fork', { fork: true }],
])('TM10 a %s that was cut off before its turn came goes on with its prompt', async (_, more) => {
  const limits = { agentLimits: { ...more, maxConcurrent: 1 } };
  const both = calls([
    call('Agent', { description: 'x', prompt: 'Hold on', run_in_background: true }),
    hire('Work', { run_in_background: true }),
  ]);
  const story = await openStory(
    { lead: leadThat(both, {}), agents: { 'Hold on': [hang()], Work: [] } },
    limits,
  );
  await story.prompt('Go');
  expect(agentTasks(story)[1]?.status).toBe('pending');
  const script = {
    lead: leadThat(hire('x'), { Write: write('Now, please.') }),
    agents: { Work: [say('Worked.')] },
  };
  const again = await crash(story, script, limits);
  await again.prompt('Hear what became of it');
  await again.prompt('Write');
  await quiet(again);
  expect(JSON.stringify(again.requestsOf('Work')[0]?.messages)).toMatch(/Work[\s\S]*Now, please\./);
  expect(notifications(again.leadRequests()).at(-1)).toContain('<result>Worked.</result>');
  await again.session.close();
  await story.session.close();
});

test('TM10 a session that was forked goes on with the agents of the other one', async () => {
  const story = await openStory({ lead: leadThat(hire('Work'), {}), agents: { Work: [say('One.')] } });
  await story.prompt('Go');
  const again = await crash(
    story,
    { lead: leadThat(hire('x'), { Write: write('And two?') }), agents: { Work: [say('Two.')] } },
    { fork: true },
  );
  await again.prompt('Write');
  await quiet(again);
  expect(again.requestsOf('Work')[0]?.messages).toHaveLength(3);
  expect(notifications(again.leadRequests()).at(-1)).toContain('<result>Two.</result>');
  await again.session.close();
  await story.session.close();
});

test('EX1 with agents.background off a message to an ended agent is waited for', async () => {
  const story = await openStory(
    {
      lead: leadThat(hire('Work'), { Write: write('More?') }),
      agents: { Work: [say('One.'), say('More.')] },
    },
    { agentLimits: { background: false } },
  );
  await story.prompt('Go');
  await story.prompt('Write');
  expect(story.results()[1]).toContain(']\nMore.\n');
  expect(agentTasks(story)[0]).toMatchObject({ status: 'completed', isBackgrounded: false });
  await story.session.close();
});

test('TM10 an old agent that is gone on with does not take its name back from a newer one', async () => {
  const story = await openStory({
    lead: (request) => {
      const text = lastUserText(request);
      if (text === 'Go') return hire('Work');
      if (text === 'Go again') return hire('Other work');
      if (text === 'Old') return write('Old one?', agentTasks(story)[0]?.id);
      if (text === 'New') return write('New one?');
      return say('Ok.');
    },
    agents: { Work: [say('1'), say('1 again')], 'Other work': [say('2'), say('2 again')] },
  });
  for (const prompt of ['Go', 'Go again', 'Old', 'New']) {
    await story.prompt(prompt);
    await quiet(story);
  }
  expect(notifications(story.leadRequests()).at(-1)).toContain('<result>2 again</result>');
  await story.session.close();
});

test('a definition that asks for isolation is refused like a call that does', async () => {
  const apart = { description: 'x', prompt: 'x', isolation: 'worktree' as const };
  const story = await openStory(
    { lead: leadThat(hire('Work', { subagent_type: 'apart' }), {}), agents: {} },
    { agents: { apart } },
  );
  await story.prompt('Go');
  expect(story.results()[0]).toContain('isolation: worktree is not possible here');
  await story.session.close();
});

test('TM10 the user goes on with an agent that the user stopped', async () => {
  const story = await openStory({
    lead: leadThat(hire('Work', { run_in_background: true }), {}),
    agents: { Work: [hang(), say('Done after all.')] },
  });
  await story.prompt('Go');
  story.session.send({ type: 'stop_task', taskId: 'helper' });
  await quiet(story);
  expect(await story.session.messageAgent('nobody', 'Hello')).toMatchObject({ ok: false });
  expect(await story.session.messageAgent('helper', 'Do it after all.')).toMatchObject({ ok: true });
  await quiet(story);
  expect(lastUserText(story.requestsOf('Work').at(-1) as ModelRequest)).toContain('from="user"');
  expect(notifications(story.leadRequests()).at(-1)).toContain('<result>Done after all.</result>');
  await story.session.close();
});
