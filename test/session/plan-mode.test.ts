import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, ModelRequest, Question } from '../../src/protocol/index.ts';
import { call, say, toolResultText } from '../../src/testing/index.ts';
import { openStory } from '../agents/support.ts';
import { place } from './support.ts';

/** The plan file is named in what the model was told. */
function planFileIn(request: ModelRequest | undefined): string {
  const text = JSON.stringify(request?.messages);
  return /The plan file: ([^"\\<]+\.md)/.exec(text)?.[1] ?? '';
}

function planner(answers: Answer[], asked: Question[]) {
  return async (question: Question): Promise<Answer> => {
    asked.push(question);
    return answers.shift() ?? { behaviour: 'deny', message: 'No.' };
  };
}

test('PL1 PL3 a plan is written, approved and handed back, and the mode from before is in force again', async () => {
  const asked: Question[] = [];
  const story = await openStory(
    {
      lead: [
        call('EnterPlanMode', {}),
        (request) => call('Write', { file_path: planFileIn(request), content: '# Plan\n1. Do it.' }),
        call('ExitPlanMode', {}),
        (_) => call('Write', { file_path: join(story.at.cwd, 'done.txt'), content: 'x' }),
        say('Done.'),
      ],
      agents: {},
    },
    { permissionMode: 'acceptEdits', onQuestion: planner([{ behaviour: 'allow' }], asked) },
  );
  await story.prompt('Go');
  expect(asked).toHaveLength(1);
  expect(asked[0]?.input.plan).toBe('# Plan\n1. Do it.');
  expect(toolResultText(story.leadRequests()[3] as ModelRequest)).toContain('The mode is acceptEdits again');
  expect(existsSync(join(story.at.cwd, 'done.txt'))).toBe(true);
  await story.session.close();
});

test('PL3 a yes to a plan does not bring a mode that the user only passed on the way to plan mode', async () => {
  const story = await openStory(
    {
      lead: [
        say('Hello.'),
        (request) => call('Write', { file_path: planFileIn(request), content: '# Plan' }),
        call('ExitPlanMode', {}),
        say('Done.'),
      ],
      agents: {},
    },
    { onQuestion: planner([{ behaviour: 'allow' }], []) },
  );
  await story.prompt('Hello.');
  for (const mode of ['acceptEdits', 'plan'] as const)
    expect(story.session.send({ type: 'set_permission_mode', mode })).toMatchObject({ ok: true });
  await story.prompt('Plan it.');
  expect(story.session.info().permissionMode).toBe('default');
  await story.session.close();
});

test('PL1 nothing but the plan file can be written in plan mode, by tool, shell or agent, whatever was granted', async () => {
  const story = await openStory(
    {
      lead: [
        (_) => call('Write', { file_path: join(story.at.cwd, 'a.txt'), content: 'x' }),
        call('Bash', { command: 'echo x > b.txt' }),
        call('Bash', { command: "python3 -c \"open('c.txt','w')\"" }),
        call('Agent', { description: 'Write', prompt: 'Write it', subagent_type: 'bold' }),
        say('I could not.'),
      ],
      agents: {
        'Write it': [
          (_) => call('Write', { file_path: join(story.at.cwd, 'd.txt'), content: 'x' }),
          call('Bash', { command: 'touch e.txt' }),
          say('Refused.'),
        ],
      },
    },
    {
      permissionMode: 'plan',
      allowedTools: ['Bash', 'Write', 'Edit', 'Bash(python3:*)', 'Agent'],
      allowBypass: true,
      agents: { bold: { description: 'Bold', prompt: 'Be bold.', permissionMode: 'bypassPermissions' } },
    },
  );
  await story.prompt('Go');
  expect(readdirSync(story.at.cwd)).toEqual([]);
  await story.session.close();
});

test('PL3 a rejected plan keeps plan mode on, with what the user said', async () => {
  const asked: Question[] = [];
  const story = await openStory(
    {
      lead: [
        (request) => call('Write', { file_path: planFileIn(request), content: 'Plan A' }),
        call('ExitPlanMode', {}),
        (_) => call('Write', { file_path: join(story.at.cwd, 'x.txt'), content: 'x' }),
        say('Still planning.'),
      ],
      agents: {},
    },
    {
      permissionMode: 'plan',
      onQuestion: planner([{ behaviour: 'deny', message: 'Tests are missing.' }], asked),
    },
  );
  await story.prompt('Go');
  expect(toolResultText(story.leadRequests()[2] as ModelRequest)).toContain('Tests are missing.');
  expect(existsSync(join(story.at.cwd, 'x.txt'))).toBe(false);
  expect(story.session.info().permissionMode).toBe('plan');
  await story.session.close();
});

test('PL2 the five phases are told once, before the prompt, and not in the system prompt', async () => {
  const story = await openStory(
    { lead: [say('One.'), say('Two.')], agents: {} },
    { permissionMode: 'plan', attended: true },
  );
  await story.prompt('First');
  await story.prompt('Second');
  const [first, second] = story.leadRequests();
  expect(JSON.stringify(first?.messages[0])).toContain('Work in five phases');
  expect(first?.system.join('')).not.toContain('five phases');
  expect(JSON.stringify(second?.messages).match(/Work in five phases/g)).toHaveLength(1);
  await story.session.close();
});

test('PL3 the user may hand in another plan along with the yes', async () => {
  const story = await openStory(
    {
      lead: [
        (request) => call('Write', { file_path: planFileIn(request), content: 'Plan A' }),
        call('ExitPlanMode', {}),
        say('Fine.'),
      ],
      agents: {},
    },
    {
      permissionMode: 'plan',
      onQuestion: planner([{ behaviour: 'allow', input: { plan: 'Plan B' } }], []),
    },
  );
  await story.prompt('Go');
  expect(toolResultText(story.leadRequests()[2] as ModelRequest)).toContain('Plan B');
  expect(story.toolData().at(-1)).toMatchObject({ planWasEdited: true, plan: 'Plan B' });
  expect(readFileSync(planFileIn(story.leadRequests()[0]), 'utf8')).toBe('Plan B');
  await story.session.close();
});

test('PL3 where nobody can approve a plan, the agent is told to show it, and the refusal is a denial', async () => {
  const story = await openStory(
    {
      lead: [
        (request) => call('Write', { file_path: planFileIn(request), content: '# Plan' }),
        call('ExitPlanMode', {}),
        say('The plan: do it.'),
      ],
      agents: {},
    },
    { permissionMode: 'plan' },
  );
  await story.prompt('Go');
  const told = toolResultText(story.leadRequests()[2] as ModelRequest);
  expect(told).toContain('Nobody is there to approve the plan');
  expect(told).toContain('End your turn');
  expect(told).not.toContain('Revise the plan');
  expect(story.events.filter((event) => event.type === 'permission_denied')).toMatchObject([
    { toolName: 'ExitPlanMode', agentId: null, input: { plan: '# Plan' } },
  ]);
  await story.session.close();
});

test('PL3 a plan that the user rejects is a denial too', async () => {
  const story = await openStory(
    {
      lead: [
        (request) => call('Write', { file_path: planFileIn(request), content: '# Plan' }),
        call('ExitPlanMode', {}),
        say('Well.'),
      ],
      agents: {},
    },
    { permissionMode: 'plan', onQuestion: planner([], []) },
  );
  await story.prompt('Go');
  expect(toolResultText(story.leadRequests()[2] as ModelRequest)).toContain('Revise the plan and ask again');
  expect(story.events.filter((event) => event.type === 'permission_denied')).toMatchObject([
    { toolName: 'ExitPlanMode', answer: 'No.' },
  ]);
  await story.session.close();
});

let file = '';

test('what is in the plan file when nobody has shown it is not what was approved', async () => {
  const story = await openStory(
    {
      lead: [
        (request) => {
          file = planFileIn(request);
          return call('Write', { file_path: file, content: 'Plan A' });
        },
        call('ExitPlanMode', {}),
        say('Fine.'),
      ],
      agents: {},
    },
    {
      permissionMode: 'plan',
      onQuestion: async () => {
        writeFileSync(file, 'Plan X');
        return { behaviour: 'allow' };
      },
    },
  );

  await story.prompt('Go');
  expect(toolResultText(story.leadRequests()[2] as ModelRequest)).toContain('Plan A');
  await story.session.close();
});

const planning = { permissionMode: 'plan', onQuestion: planner([], []) } as const;

test('a directory for plans that a link of the repository leads elsewhere is not used', async () => {
  const at = place();
  mkdirSync(join(at.cwd, '.claude/agents'), { recursive: true });
  symlinkSync('.claude/agents', join(at.cwd, 'plans'));
  const story = await openStory(
    {
      lead: [(request) => call('Write', { file_path: planFileIn(request), content: '# Plan' }), say('Done.')],
      agents: {},
    },
    { ...planning, settings: JSON.stringify({ plansDirectory: join(at.cwd, 'plans') }) },
    at,
  );
  await story.prompt('Go');
  await story.session.close();
  expect(readdirSync(join(at.cwd, '.claude/agents'))).toEqual([]);
  expect(readdirSync(join(at.home, 'plans'))).toHaveLength(1);
  expect(JSON.stringify(story.events)).toContain('plansDirectory: ');
});

test('a link that takes the place of the plan is not written through', async () => {
  const at = place();
  const target = join(at.cwd, 'new.txt');
  const story = await openStory(
    {
      lead: [
        (request) => {
          symlinkSync(target, planFileIn(request));
          return call('Write', { file_path: planFileIn(request), content: '# Plan' });
        },
        say('Done.'),
      ],
      agents: {},
    },
    planning,
    at,
  );
  await story.prompt('Go');
  await story.session.close();
  expect(existsSync(target)).toBe(false);
});
