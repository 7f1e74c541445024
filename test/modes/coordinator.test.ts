import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import {
  type AnswerTurn,
  call,
  calls,
  failWith,
  say,
  scriptedModel,
  type TurnMaker,
  toolResultText,
} from '../../src/testing/index.ts';
import { agentTasks, ended, gate, notifications, openStory, prepared, quiet } from '../agents/support.ts';
import { place, recordsOf } from '../session/support.ts';

const coordinator = { coordinator: true } as const;

function named(request: ModelRequest | undefined): string[] {
  return request?.tools.map(({ name }) => name) ?? [];
}

/** Answers once the test says so. */
function after({ opened }: { opened: Promise<void> }, turn: AnswerTurn): TurnMaker {
  return async () => {
    await opened;
    return turn;
  };
}

function worker(prompt: string, more: Record<string, unknown> = {}) {
  return call('Agent', { description: prompt, prompt, ...more });
}

test("CO1 the coordinator's tools are Agent, SendMessage and TaskStop, and nothing else outside a repository", async () => {
  const story = await openStory({ lead: [say('Ready.')], agents: {} }, coordinator);
  await story.prompt('Hello');
  expect(named(story.leadRequests()[0]).sort()).toEqual(['Agent', 'SendMessage', 'TaskStop']);
  expect(story.session.info().tools.sort()).toEqual(['Agent', 'SendMessage', 'TaskStop']);
  expect(story.session.info().mode).toBe('coordinator');
  await story.session.close();
});

test('CO1 in a repository it lands, and with a schema it hands in its answer', async () => {
  const at = place();
  mkdirSync(join(at.cwd, '.git'), { recursive: true });
  const story = await openStory(
    { lead: [call('SyntheticOutput', { done: true })], agents: {} },
    {
      ...coordinator,
      outputSchema: { type: 'object', properties: { done: { type: 'boolean' } }, required: ['done'] },
    },
    at,
  );
  await story.prompt('Hello');
  expect(named(story.leadRequests()[0]).sort()).toEqual([
    'Agent',
    'Land',
    'SendMessage',
    'SyntheticOutput',
    'TaskStop',
  ]);
  await story.session.close();
});

const forbidden: [string, Record<string, unknown>][] = [
  ['Bash', { command: 'touch made' }],
  ['Edit', { file_path: '/work/a', old_string: 'a', new_string: 'b' }],
  ['Read', { file_path: '/etc/hostname' }],
  ['Write', { file_path: '/work/a', content: 'x' }],
  ['Glob', { pattern: '*' }],
  ['WebFetch', { url: 'https://example.com', prompt: 'x' }],
  ['TodoWrite', { todos: [] }],
  ['EnterPlanMode', {}],
];

for (const [name, input] of forbidden)
  test(`CO1 a coordinator that asks for ${name} by name is refused when it runs, and told what to do`, async () => {
    const story = await openStory(
      { lead: [call(name, input), say('So be it.')], agents: {} },
      { ...coordinator, permissionMode: 'bypassPermissions', allowedTools: [name], attended: true },
    );
    await story.prompt('Do it yourself');
    const [result] = story.results();
    expect(result).toContain(`this agent does not have the tool ${name}`);
    expect(result).toContain('start a worker with Agent');
    expect(story.events.some((event) => event.type === 'tool_started')).toBe(false);
    await story.session.close();
  });

test("CO1 a program's own tools are not the coordinator's, not even under the name of one of its own", async () => {
  const { z } = await import('zod');
  const ran: string[] = [];
  const own = (name: string) => ({
    name,
    description: 'x',
    schema: z.looseObject({}),
    access: () => [],
    concurrent: () => false,
    summary: () => '',
    // biome-ignore lint/correctness/useYield: it is over at once
    async *run() {
      ran.push(name);
      return { content: [], isError: false };
    },
  });
  const story = await openStory(
    { lead: [call('Deploy', {}), say('No.')], agents: {} },
    { ...coordinator, ownTools: [own('Deploy'), own('TaskStop')], permissionMode: 'bypassPermissions' },
  );
  await story.prompt('Deploy');
  expect(named(story.leadRequests()[0]).sort()).toEqual(['Agent', 'SendMessage', 'TaskStop']);
  expect(story.results()[0]).toContain('this agent does not have the tool Deploy');
  expect(ran).toEqual([]);
  await story.session.close();
});

test('CO2 a type that is left out is a worker, and other types are refused with that message', async () => {
  const story = await openStory(
    {
      lead: [
        calls([
          worker('Look'),
          worker('Explore it', { subagent_type: 'Explore' }),
          worker('Custom', { subagent_type: 'mine' }),
          worker('Fork', { subagent_type: 'fork' }),
        ]),
        say('One works.'),
        say('It is done.'),
      ],
      agents: { Look: [say('Seen.')] },
    },
    { ...coordinator, agents: { mine: { description: 'Mine', prompt: 'x' } } },
  );
  await story.prompt('Go');
  await quiet(story);
  expect(agentTasks(story).map((task) => task.agent?.type)).toEqual(['worker']);
  const isRefused = (text: string) => text.includes('In coordinator mode subagent_type is "worker"');
  expect(story.results().filter(isRefused)).toHaveLength(3);
  await story.session.close();
});

test('EX1 a worker runs in the background whatever the call says', async () => {
  const held = gate();
  const story = await openStory(
    {
      lead: [worker('Wait', { run_in_background: false }), say('Started.'), say('Done.')],
      agents: { Wait: [after(held, say('Waited.'))] },
    },
    coordinator,
  );
  expect((await story.prompt('Go')).text).toBe('Started.');
  held.open();
  await quiet(story);
  expect(notifications(story.leadRequests())).toHaveLength(1);
  await story.session.close();
});

test('CO2 its prompt is its own, in six parts, and the same bytes in every request', async () => {
  const story = await openStory(
    { lead: [worker('Look'), say('Started.'), say('Done.')], agents: { Look: [say('Seen.')] } },
    coordinator,
  );
  await story.prompt('Go');
  await quiet(story);
  const systems = story.leadRequests().map(({ system }) => JSON.stringify(system));
  expect(new Set(systems).size).toBe(1);
  const [system = ''] = systems;
  for (const part of [
    'Role',
    'Tools',
    'Workers',
    'Task workflow',
    'Writing worker prompts',
    'Example session',
  ])
    expect(system).toMatch(new RegExp(`# \\d\\. ${part}`));
  for (const taught of [
    'never thank',
    'trivial look-up',
    'Synthesis. You, alone',
    'isolation',
    'Based on your findings',
    '<system-reminder>',
    'not for the next',
    'compacted',
  ])
    expect(system).toContain(taught);
  // Outside a repository there is nothing to land.
  expect(system).not.toContain('`Land`');
  await story.session.close();
});

test("CO3 the coordinator is told its workers' tools and the scratchpad; simple mode changes only those", async () => {
  const full = await openStory({ lead: [say('Hi')], agents: {} }, coordinator);
  await full.prompt('Hi');
  const told = JSON.stringify(full.leadRequests()[0]?.system);
  expect(told).toContain('Tools: Read, Edit, Write, Bash, Grep');
  expect(told).toContain(full.session.info().scratchpad as string);
  await full.session.close();

  const at = place();
  const environment = { ...at.environment, CADRE_SIMPLE: '1' };
  const simple = await openStory({ lead: [say('Hi')], agents: {} }, coordinator, { ...at, environment });
  await simple.prompt('Hi');
  const less = JSON.stringify(simple.leadRequests()[0]?.system);
  expect(less).toContain('Tools: Read, Edit, Bash, TaskOutput, TaskStop.');
  expect(less).not.toContain('tools of MCP servers');
  expect(named(simple.leadRequests()[0]).sort()).toEqual(['Agent', 'SendMessage', 'TaskStop']);
  await simple.session.close();
});

async function problemOf(
  options: SessionOptions,
  environment: Record<string, string> = {},
  settings?: object,
) {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  if (settings) {
    mkdirSync(at.home, { recursive: true });
    writeFileSync(join(at.home, 'settings.json'), JSON.stringify(settings));
  }
  const opened = await openSession({
    cwd: at.cwd,
    environment: { ...at.environment, ...environment },
    model: scriptedModel([]),
    sandbox: false,
    ...options,
  });
  if (!opened.ok) return opened.problem;
  const { mode } = opened.value.info();
  await opened.value.close();
  return mode;
}

test('CO1 the mode is switched on by flag, by either variable and by a setting', async () => {
  expect(await problemOf({})).toBe('normal');
  expect(await problemOf({ coordinator: true })).toBe('coordinator');
  expect(await problemOf({}, { CADRE_COORDINATOR_MODE: '1' })).toBe('coordinator');
  expect(await problemOf({}, { CLAUDE_CODE_COORDINATOR_MODE: 'true' })).toBe('coordinator');
  expect(await problemOf({}, {}, { coordinator: true })).toBe('coordinator');
  expect(await problemOf({}, { CADRE_COORDINATOR_MODE: '0' }, { coordinator: true })).toBe('normal');
  expect(await problemOf({ coordinator: false }, { CADRE_COORDINATOR_MODE: '1' })).toBe('normal');
});

test('EX1 with background work switched off it refuses to start, and names the switch', async () => {
  const byVariable = await problemOf(coordinator, { CADRE_DISABLE_BACKGROUND_TASKS: '1' });
  expect(byVariable).toMatchObject({
    kind: 'usage',
    message: expect.stringContaining('CADRE_DISABLE_BACKGROUND_TASKS'),
  });
  const bySetting = await problemOf(coordinator, {}, { agents: { background: false } });
  expect(bySetting).toMatchObject({ kind: 'usage', message: expect.stringContaining('agents.background') });
});

test('FK5 forks are turned off, and are a mistake only where both were asked for in one place', async () => {
  expect(await problemOf(coordinator, {}, { agents: { fork: true } })).toBe('coordinator');
  expect(await problemOf({}, { CADRE_FORK_SUBAGENT: '1' }, { coordinator: true })).toBe('coordinator');
  for (const both of [
    await problemOf(coordinator, { CADRE_FORK_SUBAGENT: '1' }),
    await problemOf({ ...coordinator, agentLimits: { fork: true } }),
    await problemOf({}, {}, { coordinator: true, agents: { fork: true } }),
  ])
    expect(both).toMatchObject({ kind: 'usage', message: expect.stringContaining('forks') });
});

test('CO1 --tools and --agent do not go with it', async () => {
  expect(await problemOf({ ...coordinator, tools: ['Bash'] })).toMatchObject({ kind: 'usage' });
  expect(await problemOf({ ...coordinator, agent: 'Explore' })).toMatchObject({ kind: 'usage' });
  expect(await problemOf({ agent: 'Explore' }, {}, { coordinator: true })).toBe('normal');
});

test('CO6 a session that goes on is in the mode that it was started in, and says so, in both directions', async () => {
  const noticed = (story: { events: { type: string }[] }) =>
    story.events.flatMap((event) => ('text' in event && event.type === 'notice_given' ? [event.text] : []));
  const at = place();
  const first = await openStory({ lead: [say('Hi')], agents: {} }, coordinator, at);
  await first.prompt('Hi');
  const states = (await recordsOf(first.session)).filter(({ type }) => type === 'session-state');
  expect(states).toMatchObject([{ sessionMode: 'coordinator' }]);
  await first.session.close();

  const resume = { from: 'id' as const, id: first.session.id };
  const again = await openStory(
    { lead: [call('Bash', { command: 'ls' }), say('Hi')], agents: {} },
    { resume },
    at,
  );
  await again.prompt('Hi again');
  expect(again.session.info().mode).toBe('coordinator');
  expect(noticed(again)).toContain('This session was started in coordinator mode and stays in it.');
  expect(again.results()[0]).toContain('this agent does not have the tool Bash');
  await again.session.close();

  const plain = await openStory({ lead: [say('Hi')], agents: {} }, {}, at);
  await plain.prompt('Hi');
  await plain.session.close();
  const other = await openStory(
    { lead: [say('Hi')], agents: {} },
    { ...coordinator, resume: { from: 'id', id: plain.session.id } },
    at,
  );
  await other.prompt('Hi again');
  expect(other.session.info().mode).toBe('normal');
  expect(noticed(other).join()).toContain('was started without coordinator mode and stays without it');
  await other.session.close();
});

test('CO4 a message reaches a worker that is running at its next turn', async () => {
  const held = gate();
  const story = await openStory(
    {
      lead: [
        worker('Look', { name: 'looker' }),
        call('SendMessage', { to: 'looker', message: 'Look at b too' }),
        say('Sent.'),
        say('Done.'),
      ],
      agents: {
        Look: [
          after(held, call('Bash', { command: 'true' })),
          (request) => say(JSON.stringify(request.messages).includes('Look at b too') ? 'a and b' : 'a'),
        ],
      },
    },
    { ...coordinator, permissionMode: 'bypassPermissions' },
  );
  await story.prompt('Go');
  held.open();
  await quiet(story);
  expect(notifications(story.leadRequests())[0]).toContain('a and b');
  await story.session.close();
});

test('CO4 a worker that finished goes on with a message, with what it knew', async () => {
  const story = await openStory(
    {
      lead: [
        worker('Look', { name: 'looker' }),
        say('Started.'),
        call('SendMessage', { to: 'looker', message: 'Now mend it' }),
        say('Sent.'),
        say('Done.'),
      ],
      agents: {
        Look: [
          say('It is line 3.'),
          (request) => say(JSON.stringify(request.messages).includes('It is line 3.') ? 'Mended.' : '?'),
        ],
      },
    },
    coordinator,
  );
  await story.prompt('Go');
  await quiet(story);
  expect(notifications(story.leadRequests()).join()).toContain('Mended.');
  expect(agentTasks(story)).toHaveLength(1);
  await story.session.close();
});

test('CO4 a worker that the coordinator stopped is redirected; the others never notice', async () => {
  const held = gate();
  const story = await openStory(
    {
      lead: [
        calls([worker('Astray', { name: 'astray' }), worker('Steady', { name: 'steady' })]),
        say('Two work.'),
        call('TaskStop', { task_id: 'astray' }),
        call('SendMessage', { to: 'astray', message: 'The other file' }),
        say('Redirected.'),
        say('One.'),
        say('Both.'),
      ],
      agents: {
        Astray: [() => new Promise(() => {}), say('Found in the other file.')],
        Steady: [after(held, say('Steady work.'))],
      },
    },
    coordinator,
  );
  await story.prompt('Go');
  await prepared('Astray');
  await story.prompt('That is the wrong file');
  held.open();
  await quiet(story);
  const told = notifications(story.leadRequests()).join('\n');
  expect(told).toContain('Found in the other file.');
  expect(told).toContain('Steady work.');
  await story.session.close();
});

test('CO4 a worker that the user stopped is continued by the user only', async () => {
  const story = await openStory(
    {
      lead: [
        worker('Stray', { name: 'astray' }),
        say('Started.'),
        call('SendMessage', { to: 'astray', message: 'Go on' }),
        say('Refused.'),
        say('Done.'),
      ],
      agents: { Stray: [() => new Promise(() => {}), say('As you wish.')] },
    },
    coordinator,
  );
  await story.prompt('Go');
  await prepared('Stray');
  story.session.send({ type: 'stop_task', taskId: agentTasks(story)[0]?.id ?? '' });
  await story.runs(2);
  expect(story.results().at(-1)).toContain('only the user can resume it');
  const sent = await story.session.messageAgent('astray', 'Go on, please');
  expect(sent.ok).toBe(true);
  await quiet(story);
  expect(notifications(story.leadRequests()).join('\n')).toContain('As you wish.');
  await story.session.close();
});

test('CO4 one worker that fails leaves the others alone', async () => {
  const held = gate();
  const story = await openStory(
    {
      lead: ({ messages }) =>
        messages.length === 1 ? calls([worker('Fail'), worker('Work')]) : say('Noted.'),
      agents: {
        Fail: [failWith({ kind: 'invalid_request', message: 'broken' })],
        Work: [after(held, say('Worked.'))],
      },
    },
    coordinator,
  );
  const failed = ended(story);
  await story.prompt('Go');
  await failed;
  expect(agentTasks(story).map(({ status }) => status)).toEqual(['failed', 'running']);
  held.open();
  await quiet(story);
  expect(notifications(story.leadRequests()).join('\n')).toContain('Worked.');
  await story.session.close();
});

test('EX6 interrupting the coordinator leaves its workers running', async () => {
  const held = gate();
  const thinking = gate();
  const story = await openStory(
    {
      lead: [
        worker('Work'),
        () => {
          thinking.open();
          return new Promise(() => {});
        },
        say('Done.'),
      ],
      agents: { Work: [after(held, say('Worked.'))] },
    },
    coordinator,
  );
  story.session.send({ type: 'prompt', content: 'Go' });
  await thinking.opened;
  story.session.send({ type: 'interrupt' });
  expect((await story.runs(1))[0]?.kind).toBe('interrupted');
  expect(agentTasks(story).map(({ status }) => status)).toEqual(['running']);
  held.open();
  await quiet(story);
  expect(notifications(story.leadRequests()).join('\n')).toContain('Worked.');
  await story.session.close();
});

test('CO1 PL3 in plan mode the coordinator hands its plan in with ExitPlanMode, which is gone afterwards', async () => {
  const asked: unknown[] = [];
  const story = await openStory(
    { lead: [call('ExitPlanMode', { plan: '# Plan\n1. A worker mends it.' }), say('I begin.')], agents: {} },
    {
      ...coordinator,
      permissionMode: 'plan',
      onQuestion: async ({ input }) => {
        asked.push(input.plan);
        return { behaviour: 'allow' };
      },
    },
  );
  await story.prompt('Plan it');
  expect(asked).toEqual(['# Plan\n1. A worker mends it.']);
  expect(named(story.leadRequests()[0])).toContain('ExitPlanMode');
  expect(JSON.stringify(story.leadRequests()[0]?.messages)).toContain('with the whole plan in `plan`');
  expect(named(story.leadRequests()[1])).not.toContain('ExitPlanMode');
  expect(toolResultText(story.leadRequests()[1] as ModelRequest)).toContain('The plan is approved');
  await story.session.close();
});

test("PL3 a worker's own plan goes to its leader, who answers by message", async () => {
  const planner = { description: 'Plans', prompt: 'Plan first.', permissionMode: 'plan' };
  let planFile = '';
  const answered = (approve: boolean) => (request: ModelRequest) => {
    const text = JSON.stringify(request.messages);
    const ids = [...text.matchAll(/from=\\"(a\w+)\\" id=\\"([0-9a-f-]{36})\\"/g)];
    const [, to = '', request_id = ''] = ids.at(-1) ?? [];
    const message = { type: 'plan_approval_response', request_id, approve, feedback: 'Name the file' };
    // As text, too: so some models write an object.
    return call('SendMessage', { to, message: approve ? JSON.stringify(message) : message });
  };
  const story = await openStory(
    {
      lead: [
        worker('Plan'),
        say('Started.'),
        answered(false),
        say('Not yet.'),
        answered(true),
        say('Yes.'),
        say('Done.'),
      ],
      agents: {
        Plan: [
          () => {
            planFile = join(story.at.home, 'plans', `plan-${agentTasks(story)[0]?.id}.md`);
            return call('Write', { file_path: planFile, content: 'Mend it' });
          },
          call('ExitPlanMode', {}),
          () => call('Write', { file_path: planFile, content: 'Mend a.ts' }),
          call('ExitPlanMode', {}),
          (request) => say(toolResultText(request)),
        ],
      },
    },
    { ...coordinator, agents: { worker: planner }, attended: true, permissionMode: 'acceptEdits' },
  );
  await story.prompt('Go');
  await quiet(story);
  const all = JSON.stringify(story.requestsOf('Plan').at(-1)?.messages);
  expect(all).toContain('Name the file');
  expect(notifications(story.leadRequests()).join('\n')).toContain('The plan is approved');
  expect(story.events.some(({ type }) => type === 'question_asked')).toBe(false);
  await story.session.close();
});

test('CO1 a slash command is read as ever, but a line of it that runs a command is refused', async () => {
  const at = place();
  mkdirSync(join(at.home, 'commands'), { recursive: true });
  const body = '---\nallowed-tools: Bash(touch:*)\n---\nLook at !`touch made` and go on.';
  writeFileSync(join(at.home, 'commands', 'look.md'), body);
  const story = await openStory(
    {
      lead: ({ messages }) => (messages.length === 1 ? worker('Slash') : say('Noted.')),
      agents: { Slash: [say('Seen.')] },
    },
    { ...coordinator, permissionMode: 'bypassPermissions' },
    at,
  );
  await story.prompt('/look');
  await quiet(story);
  expect(JSON.stringify(story.leadRequests()[0]?.messages)).toContain('and go on.');
  expect(existsSync(join(at.cwd, 'made'))).toBe(false);
  // What the command allows or limits is for those who touch things.
  expect(agentTasks(story)).toHaveLength(1);
  await story.session.close();
});
