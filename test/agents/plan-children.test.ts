import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runPrompt } from '../../src/headless/run-prompt.ts';
import type { ModelRequest, Question } from '../../src/protocol/index.ts';
import { call, say, toolResultText } from '../../src/testing/index.ts';
import { request as headlessRequest, noInterrupts, pipe } from '../headless/support.ts';
import { place } from '../session/support.ts';
import { needs } from '../support/index.ts';
import { agentTasks, gate, openStory, quiet } from './support.ts';

function planFileIn(request: ModelRequest | undefined): string {
  return /The plan file: ([^"\\<]+\.md)/.exec(JSON.stringify(request?.messages))?.[1] ?? '';
}

const planner = { description: 'Plans', prompt: 'Plan first.', permissionMode: 'plan' } as const;

for (const type of ['general-purpose', 'planner', 'fork'] as const)
  test(`PL1 a ${type} below a planning lead neither overwrites its plan nor asks for its approval`, async () => {
    const asked: Question[] = [];
    let file = '';
    const hire = { description: 'x', prompt: 'Look', ...(type === 'fork' ? {} : { subagent_type: type }) };
    const story = await openStory(
      {
        lead: [
          (request) => {
            file = planFileIn(request);
            return call('Write', { file_path: file, content: "the lead's" });
          },
          call('Agent', hire),
          say('Waiting.'),
          say('Heard.'),
        ],
        agents: {
          Look: [
            () => call('Write', { file_path: file, content: "the child's" }),
            call('ExitPlanMode', {}),
            say('Tried.'),
          ],
        },
      },
      {
        permissionMode: 'plan',
        agents: { planner },
        agentLimits: { fork: type === 'fork' },
        onQuestion: async (question) => {
          asked.push(question);
          return { behaviour: 'allow' };
        },
      },
    );
    await story.prompt('Go');
    await quiet(story);
    const [, second, third] = story.requestsOf('Look');
    expect(toolResultText(second as ModelRequest)).toContain('plan mode');
    expect(toolResultText(third as ModelRequest)).toMatch(
      /started you writes the plan|no tool "ExitPlanMode"/,
    );
    expect(readFileSync(file, 'utf8')).toBe("the lead's");
    expect(asked).toEqual([]);
    expect(story.session.info().permissionMode).toBe('plan');
    await story.session.close();
  });

test('TF3 only an agent that makes its own plan is shown ExitPlanMode', async () => {
  const hire = call('Agent', { description: 'x', prompt: 'Look', subagent_type: 'general-purpose' });
  const story = await openStory(
    { lead: [hire, say('Ok.')], agents: { Look: [say('Seen.')] } },
    { permissionMode: 'plan', attended: true },
  );
  await story.prompt('Go');
  expect(story.requestsOf('Look')[0]?.tools.map(({ name }) => name)).not.toContain('ExitPlanMode');
  await story.session.close();
});

test('PL3 an agent that plans for itself keeps its own file when the lead begins to plan', async () => {
  const started = gate();
  const files: string[] = [];
  const story = await openStory(
    {
      lead: [
        call('Agent', {
          description: 'x',
          prompt: 'Plan it',
          subagent_type: 'planner',
          run_in_background: true,
        }),
        call('EnterPlanMode', {}),
        () => {
          started.open();
          return say('Waiting.');
        },
        say('Heard.'),
      ],
      agents: {
        'Plan it': [
          async (request) => {
            await started.opened;
            files.push(planFileIn(request));
            return call('Write', { file_path: planFileIn(request), content: 'mine' });
          },
          say('Written.'),
        ],
      },
    },
    { agents: { planner }, attended: true },
  );
  await story.prompt('Go');
  await quiet(story);
  expect(files[0]).toContain(`plan-${agentTasks(story)[0]?.id ?? ''}`);
  expect(readFileSync(files[0] ?? '', 'utf8')).toBe('mine');
  await story.session.close();
});

test("PL3 CO1 a worker that plans under -p --coordinator has its instructions, its file and its leader's approval", async () => {
  let planFile = '';
  const who = (request: ModelRequest) => request.asker?.agentId ?? null;
  const worker: Record<number, (request: ModelRequest) => ReturnType<typeof say>> = {
    0: (request) => {
      planFile = planFileIn(request);
      return call('Write', { file_path: planFile, content: 'Fix a.ts' });
    },
    1: () => call('ExitPlanMode', {}),
    2: (request) => say(`Worker: ${toolResultText(request)}`),
  };
  let step = 0;
  let isStarted = false;
  const turn = (request: ModelRequest) => {
    if (who(request) !== null) return worker[step++]?.(request) ?? say('lost');
    if (!isStarted) {
      isStarted = true;
      return call('Agent', { description: 'Plan', prompt: 'Plan' });
    }
    const last = JSON.stringify(request.messages.at(-1));
    const [, to = '', request_id = ''] = /from=\\"(a\w+)\\" id=\\"([0-9a-f-]{36})\\"/.exec(last) ?? [];
    if (!to) return say('Noted.');
    return call('SendMessage', {
      to,
      message: { type: 'plan_approval_response', request_id, approve: true },
    });
  };
  const { io, frames } = pipe('none');
  const code = await runPrompt(
    headlessRequest(
      Array.from({ length: 12 }, () => turn),
      {
        prompt: 'Go',
        outputFormat: 'stream-json',
        session: { coordinator: true, agents: { worker: planner } },
      },
    ),
    io,
    noInterrupts,
  );
  expect(code).toBe(0);
  expect(planFile).toMatch(/plans\/plan-a\w+\.md$/);
  expect(readFileSync(planFile, 'utf8')).toBe('Fix a.ts');
  expect(JSON.stringify(frames())).toContain('The plan is approved');
});

test('PL3 plain text to a worker that waits for a decision on its plan says how to decide', async () => {
  const who = (request: ModelRequest) => request.asker?.agentId ?? null;
  const answers: string[] = [];
  let step = 0;
  let sent = 0;
  const worker = (request: ModelRequest) =>
    [
      () => call('Write', { file_path: planFileIn(request), content: 'Fix a.ts' }),
      () => call('ExitPlanMode', {}),
    ][step++]?.() ?? say('Done.');
  const turn = (request: ModelRequest) => {
    if (who(request) !== null) return worker(request);
    const all = JSON.stringify(request.messages);
    const [, to = '', request_id = ''] = /from=\\"(a\w+)\\" id=\\"([0-9a-f-]{36})\\"/.exec(all) ?? [];
    if (sent === 0) {
      sent = 1;
      return call('Agent', { description: 'Plan', prompt: 'Plan' });
    }
    if (!to || sent === 3) return say('Noted.');
    if (sent === 1) {
      sent = 2;
      return call('SendMessage', { to, message: 'Looks good, go.' });
    }
    answers.push(toolResultText(request));
    sent = 3;
    return call('SendMessage', {
      to,
      message: { type: 'plan_approval_response', request_id, approve: true },
    });
  };
  const { io } = pipe('none');
  const turns = Array.from({ length: 14 }, () => turn);
  const session = { coordinator: true, agents: { worker: planner } };
  expect(await runPrompt(headlessRequest(turns, { prompt: 'Go', session }), io, noInterrupts)).toBe(0);
  expect(answers[0]).toContain('waits for your decision on its plan');
  expect(answers[0]).toContain('"type": "plan_approval_response"');
});

test('every refusal of plan mode says that it is plan mode', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const file = join(at.cwd, 'a.txt');
  const story = await openStory(
    {
      lead: [
        call('Write', { file_path: file, content: 'x' }),
        call('Bash', { command: 'touch b.txt' }),
        call('Bash', { command: 'make' }),
        call('Bash', { command: 'make', run_in_background: true }),
        say('Refused.'),
      ],
      agents: {},
    },
    { permissionMode: 'plan' },
    at,
  );
  await story.prompt('Go');
  expect(story.results()).toHaveLength(4);
  for (const text of story.results()) expect(text).toContain('plan mode');
  await story.session.close();
});

needs('bwrap')(
  'in plan mode a rule that spells a command out counts inside the sandbox, one with a star for npm does not',
  async () => {
    const at = place();
    mkdirSync(at.cwd, { recursive: true });
    writeFileSync(join(at.cwd, 'package.json'), '{"scripts":{"test":"echo tested; echo x > made"}}');
    const run = async (rule: string) => {
      const story = await openStory(
        { lead: [call('Bash', { command: 'npm test' }), say('Ok.')], agents: {} },
        { permissionMode: 'plan', sandbox: true, allowedTools: [rule] },
        at,
      );
      await story.prompt('Go');
      await story.session.close();
      return story.results()[0] ?? '';
    };
    expect(await run('Bash(npm test)')).toContain('tested');
    expect(existsSync(join(at.cwd, 'made'))).toBe(false);
    expect(await run('Bash(npm test:*)')).toContain('plan mode asks');
  },
);
