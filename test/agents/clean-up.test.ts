import { expect, test } from 'bun:test';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { findOwned } from '../../src/lib/processes/process.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import {
  call,
  calls,
  failWith,
  hang,
  lastUserText,
  say,
  type Turn,
  together,
} from '../../src/testing/index.ts';
import { testTool } from '../loop/support.ts';
import { passTime } from '../support/index.ts';
import { agentTasks, ended, nextEvent, openStory, quiet } from './support.ts';

const bypass = { permissionMode: 'bypassPermissions' as const };
const shell = call('Bash', { command: 'sleep 300', run_in_background: true });

/** What a session still holds open of its agents. */
function openFiles(sessionId: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((file) => {
    try {
      const path = readlinkSync(join('/proc/self/fd', file));
      return path.includes(`${sessionId}/subagents/`) ? [path] : [];
    } catch {
      return [];
    }
  });
}

test.each<[string, Turn[]]>([
  ['a normal end', [shell, say('Started and left.')]],
  ['an error', [shell, failWith({ kind: 'invalid_request', message: 'no', status: 400 })]],
  [
    'an exception',
    [
      shell,
      () => {
        throw new Error('a bug in the model');
      },
    ],
  ],
])('CX2 after %s no shell, no open file and no live agent is left', async (_, turns) => {
  const clock = manualClock();
  const story = await openStory(
    {
      lead: [call('Agent', { description: 'x', prompt: 'Leave a shell' }), say('Ok.')],
      agents: { 'Leave a shell': turns },
    },
    { ...bypass, clock, agentLimits: { autoBackground: 0 } },
  );
  await passTime(clock, story.prompt('Go'));
  expect(story.session.tasks().map((task) => [task.kind, task.status !== 'running'])).toEqual([
    ['local_agent', true],
    ['local_bash', true],
  ]);
  expect(findOwned({ owner: story.session.id })).toEqual([]);
  expect(openFiles(story.session.id)).toEqual([]);
  await story.session.close();
});

test('CX2 after a stop the shells of the agent are gone, and its question waits no longer', async () => {
  const story = await openStory(
    {
      lead: [
        call('Agent', { description: 'x', prompt: 'Ask', run_in_background: true }),
        say('Ok.'),
        say('I see.'),
      ],
      agents: { Ask: [shell, call('Write', { file_path: 'a.txt', content: 'x' })] },
    },
    { attended: true, allowedTools: ['Bash'] },
  );
  const asked = nextEvent(story, (event) => event.type === 'question_asked');
  await story.prompt('Go');
  const question = await asked;
  const [task] = agentTasks(story);
  expect(question.agentId).toBe(task?.id as string);
  const idle = nextEvent(story, (event) => event.type === 'state_changed' && event.state === 'idle');
  story.session.send({ type: 'stop_task', taskId: task?.id ?? '' });
  await idle;
  const late = { behaviour: 'allow' as const };
  const questionId = question.type === 'question_asked' ? question.question.id : '';
  expect(story.session.send({ type: 'answer', questionId, answer: late }).ok).toBe(false);
  expect(findOwned({ owner: story.session.id })).toEqual([]);
  await story.session.close();
});

test('CX2 one that is stopped before its turn came leaves nothing either, and can be gone on with', async () => {
  const story = await openStory(
    {
      lead: [
        calls([
          call('Agent', { description: 'first', prompt: 'Busy', run_in_background: true, name: 'first' }),
          call('Agent', {
            description: 'second',
            prompt: 'Waiting',
            run_in_background: true,
            name: 'second',
          }),
        ]),
        call('TaskStop', { task_id: 'second' }),
        say('One was stopped.'),
        call('TaskStop', { task_id: 'first' }),
        call('SendMessage', { to: 'second', message: 'Now, please.' }),
        say('Sent.'),
        say('Good.'),
      ],
      agents: { Busy: [hang()], Waiting: [say('I did it after all.')] },
    },
    { agentLimits: { maxConcurrent: 1 } },
  );
  await story.prompt('Go');
  expect(agentTasks(story).map((task) => task.status)).toEqual(['running', 'killed']);
  expect(story.requestsOf('Waiting')).toEqual([]);
  await story.prompt('Now the other way round');
  await quiet(story);
  expect(lastUserText(story.requestsOf('Waiting')[0] as ModelRequest)).toContain('Now, please.');
  expect(agentTasks(story).map((task) => task.status)).toEqual(['killed', 'completed']);
  await story.session.close();
});

test('G8 a tool that does not heed its signal holds up its agent for seconds, not for ever', async () => {
  const clock = manualClock();
  const deaf = testTool('Deaf', { run: () => new Promise(() => {}) });
  const story = await openStory(
    {
      lead: [call('Agent', { description: 'x', prompt: 'Be deaf' }), say('Ok.')],
      agents: { 'Be deaf': [together(say('I begin.'), call('Deaf', { text: 'x' }))] },
    },
    { ownTools: [deaf], allowedTools: ['Deaf'], clock },
  );
  const started = nextEvent(story, (event) => event.type === 'tool_started' && event.toolName === 'Deaf');
  story.session.send({ type: 'prompt', content: 'Go' });
  await started;
  const over = ended(story);
  story.session.send({ type: 'interrupt' });
  clock.advance(4_999);
  expect(agentTasks(story)[0]?.status).toBe('running');
  clock.advance(1);
  expect(await over).toMatchObject({ end: { status: 'killed', text: 'I begin.' } });
  await story.runs(1);
  await story.session.close();
});

test('CX2 nothing is kept after 100,000 children', () => {
  const child = Bun.spawnSync([process.execPath, join(import.meta.dirname, 'many-children.script.ts')]);
  const { bytesEach, listeners, live } = JSON.parse(child.stdout.toString());
  expect({ listeners, live }).toEqual({ listeners: 0, live: 1 });
  expect(bytesEach).toBeLessThan(20);
}, 60_000);
