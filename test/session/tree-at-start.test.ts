import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import type { TaskRecord, TranscriptRecord } from '../../src/protocol/index.ts';
import { createLayout } from '../../src/store/layout.ts';
import { createTranscript } from '../../src/store/transcript.ts';
import { call, say } from '../../src/testing/index.ts';
import { assistant, headerFor, sessionId, user } from '../store/build.ts';
import { open, place, recordsOf } from './support.ts';

const timestamp = '2026-01-01T00:00:00.000Z';

function running(kind: TaskRecord['task']['kind'], id: string, owner: string | null = null): TaskRecord {
  const task = {
    ...{ id, runId: `run-${id}`, kind, status: 'running' as const, description: `the work of ${id}` },
    ...{ startedAt: timestamp, outputFile: '/nowhere', owner, isBackgrounded: true },
  };
  return { type: 'task-state', timestamp, task };
}

/** The files that a session leaves whose process was killed while a tree of tasks ran. */
function killedSession() {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const files = createLayout(at.home).session(at.cwd, sessionId);
  const write = (path: string, records: TranscriptRecord[], agentId?: string) => {
    const header = { ...headerFor(at.cwd), ...(agentId ? { agentId } : {}) };
    const made = createTranscript(path, header);
    if (!made.ok) throw new Error(made.problem.message);
    for (const record of records) made.value.append(record);
    made.value.close();
  };
  write(files.transcript, [
    user('u', null, 'Go'),
    assistant('a', 'u', 'Started.'),
    running('local_agent', 'aworker'),
    running('local_bash', 'bserver'),
    running('monitor_mcp', 'mwatch'),
    running('dream', 'dnight'),
    running('local_bash', 'bnested', 'aworker'),
    running('local_agent', 'anested', 'aworker'),
  ]);
  const state: TranscriptRecord = {
    ...{
      type: 'agent-state',
      timestamp,
      agentId: 'aworker',
      agentType: 'general-purpose',
      source: 'delegate',
    },
    ...{ description: 'work', model: 'scripted/model', tools: ['Read'], cwd: at.cwd, owner: null },
    ...{ toolUseId: 'c1', depth: 1 },
  };
  const ofAgent = { agentId: 'aworker', isSidechain: true };
  write(
    files.agentTranscript('aworker'),
    [state, { ...user('x', null, 'Work'), ...ofAgent }, { ...assistant('y', 'x', 'Working.'), ...ofAgent }],
    'aworker',
  );
  return { at, options: { resume: { from: 'id' as const, id: sessionId } } };
}

const noticesOf = (events: readonly { type: string }[]) =>
  events.flatMap((event) => ('text' in event && event.type === 'notice_given' ? [String(event.text)] : []));

test('SE1 at a start every task of the tree is reported: the lead’s to the lead, others to the user, each once', async () => {
  const { at, options } = killedSession();
  const first = await open(at, [say('Understood.')], options);
  await first.prompt('Continue.');
  const heard = JSON.stringify(first.model.requests[0]?.messages);
  for (const id of ['aworker', 'bserver', 'mwatch']) expect(heard).toContain(`the work of ${id}`);
  for (const id of ['dnight', 'bnested', 'anested']) expect(heard).not.toContain(`the work of ${id}`);
  const told = noticesOf(first.events).filter((text) => text.startsWith('Ended together with the session'));
  expect(told).toHaveLength(1);
  for (const id of ['dnight', 'bnested', 'anested']) expect(told[0]).toContain(id);
  const ends = (await recordsOf(first.session)).flatMap((record) =>
    record.type === 'task-state' && record.end ? [`${record.task.id} ${record.task.status}`] : [],
  );
  const all = ['aworker', 'bserver', 'mwatch', 'dnight', 'bnested', 'anested'];
  expect(ends).toEqual(all.map((id) => `${id} killed`));
  await first.session.close();

  const second = await open(at, [say('Nothing new.')], options);
  await second.prompt('And now?');
  expect(noticesOf(second.events).join()).not.toContain('Ended together with the session');
  await second.session.close();
});

test('SE1 an agent that is resumed after a crash hears of its own commands and agents', async () => {
  const { at, options } = killedSession();
  const turns = [
    call('SendMessage', { to: 'aworker', message: 'Continue.' }),
    say('Resumed.'),
    say('Resumed.'),
    say('Resumed.'),
  ];
  const { session, prompt, model } = await open(at, turns, options);
  await prompt('Resume it.');
  await session.finished(AbortSignal.timeout(20_000));
  await session.close();
  const requests = model.requests.map(({ messages }) => JSON.stringify(messages));
  const its = requests.find((text) => text.includes('Working.') && !text.includes('Started.')) ?? '';
  expect(its).toContain('the work of bnested');
  expect(its).toContain('the work of anested');
});
