import { expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { ApprovalHub } from '../../src/permissions/approval-hub.ts';
import type { Answer, Question } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, expecting, say, type Turn, together } from '../../src/testing/index.ts';
import { type Opened, open, type Place, place, recordsOf } from './support.ts';

const touch = (name: string) => call('Bash', { command: `touch ${name}` });

function work(): Place {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  return at;
}

interface Line extends Record<string, unknown> {
  type: string;
}

function auditOf({ home }: Place): Line[] {
  const directory = join(home, 'audit');
  if (!existsSync(directory)) return [];
  return readdirSync(directory).flatMap((name) =>
    readFileSync(join(directory, name), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  );
}

/** Opens a session in which every question gets this answer. */
async function answering(
  at: Place,
  turns: Turn[],
  answer: (question: Question) => Answer,
  options: SessionOptions = {},
): Promise<Opened & { asked: Question[] }> {
  const asked: Question[] = [];
  const opened = await open(at, turns, {
    onQuestion: async (question) => {
      asked.push(question);
      return answer(question);
    },
    ...options,
  });
  return { ...opened, asked };
}

const made = (at: Place, name: string) => existsSync(join(at.cwd, name));

test('PE3 two sessions’ questions at once in one queue: both seen, both answered, right one to right asker', async () => {
  const approvals = new ApprovalHub();
  const [one, two] = [work(), work()];
  const first = await open(one, [touch('a'), say('Done.')], { approvals });
  const second = await open(two, [touch('a'), expecting({ toolResult: 'not you' }, say('Done.'))], {
    approvals,
  });
  const done = [first.prompt('Go'), second.prompt('Go')];
  while (approvals.waiting().length < 2) await Bun.sleep(1);
  const find = (id: string) =>
    approvals.waiting().find(({ question }) => question.sessionId === id)?.question;
  approvals.answer(find(second.session.id)?.id ?? '', { behaviour: 'deny', message: 'not you' });
  approvals.answer(find(first.session.id)?.id ?? '', { behaviour: 'allow' });
  expect((await Promise.all(done)).map((outcome) => outcome.kind)).toEqual(['completed', 'completed']);
  expect([made(one, 'a'), made(two, 'a')]).toEqual([true, false]);
  expect(auditOf(one)).toMatchObject([
    { type: 'question' },
    { type: 'answer', behaviour: 'allow', by: 'person' },
  ]);
  expect(auditOf(two)).toMatchObject([{ type: 'question' }, { type: 'answer', behaviour: 'deny' }]);
  await Promise.all([first.session.close(), second.session.close()]);
});

test('a question says who asks, what, why, how risky, since when and until when', async () => {
  const at = work();
  const clock = manualClock(1_000);
  const { prompt, session, asked } = await answering(
    at,
    [call('Bash', { command: 'rm -rf x', description: 'Tidy' }), say('Done.')],
    () => ({ behaviour: 'deny', message: 'no' }),
    { clock, settings: '{"permissions": {"questionTimeoutSeconds": 30}}' },
  );
  await prompt('Go');
  expect(asked).toMatchObject([
    {
      sessionId: session.id,
      agentId: null,
      asker: { type: 'lead' },
      toolName: 'Bash',
      input: { command: 'rm -rf x', description: 'Tidy' },
      cwd: at.cwd,
      decision: { behaviour: 'ask', by: 'default' },
      risk: { level: 'medium', reasons: ['it deletes files'] },
      suggestions: [{ tool: 'Bash', specifier: 'rm -rf x' }],
      askedAt: 1_000,
      expiresAt: 31_000,
    },
  ]);
  await session.close();
});

test('a question nobody answers ends as a denial with a reason, and the audit log has it', async () => {
  const at = work();
  const clock = manualClock(Date.UTC(2026, 10, 15));
  const { prompt, session } = await open(
    at,
    [touch('a'), expecting({ toolResult: 'No answer within 30 seconds' }, say('Well.'))],
    { attended: true, clock, settings: '{"permissions": {"questionTimeoutSeconds": 30}}' },
  );
  const done = prompt('Go');
  while (session.approvals.waiting().length < 1) await Bun.sleep(1);
  clock.advance(30_000);
  expect((await done).kind).toBe('completed');
  expect(auditOf(at)).toMatchObject([
    { type: 'question', sessionId: session.id, tool: 'Bash', decision: { by: 'default' } },
    { type: 'answer', behaviour: 'deny', by: 'expiry', reason: expect.stringContaining('No answer within') },
  ]);
  const file = join(at.home, 'audit', '2026-11.jsonl');
  expect([statSync(file).mode & 0o777, statSync(join(at.home, 'audit')).mode & 0o777]).toEqual([
    0o600, 0o700,
  ]);
  await session.close();
});

test('an audit log that cannot be written is told once, and the denial holds', async () => {
  const at = work();
  mkdirSync(at.home, { recursive: true });
  writeFileSync(join(at.home, 'audit'), 'a file in its place');
  const { prompt, session, events } = await answering(at, [touch('a'), touch('b'), say('Well.')], () => ({
    behaviour: 'deny',
    message: 'Not now.',
  }));
  expect((await prompt('Go')).kind).toBe('completed');
  const told = events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
  expect(told.filter((text) => text.startsWith('The audit log cannot be written'))).toHaveLength(1);
  expect(existsSync(join(at.cwd, 'a'))).toBe(false);
  await session.close();
});

test('once is once: the same call is asked about again', async () => {
  const at = work();
  const { prompt, session, asked } = await answering(
    at,
    [touch('a'), touch('a'), say('Done.')],
    (question) => ({
      behaviour: 'allow',
      scope: 'once',
      rules: question.suggestions,
    }),
  );
  await prompt('Go');
  expect(asked).toHaveLength(2);
  await session.close();
});

test.each(['agent', 'session'] as const)(
  'a scope of %s without rules grants what was suggested',
  async (scope) => {
    const at = work();
    const { prompt, session, asked } = await answering(at, [touch('a'), touch('a'), say('Done.')], () => ({
      behaviour: 'allow',
      scope,
    }));
    await prompt('Go');
    expect(asked).toHaveLength(1);
    expect(auditOf(at).at(2)).toMatchObject({ type: 'grant', scope, change: 'add allow Bash(touch a)' });
    expect(existsSync(join(at.cwd, '.cadre'))).toBe(false);
    await session.close();
  },
);

test('a saved rule is written, holds at once, and is said', async () => {
  const at = work();
  const { prompt, session, asked, events } = await answering(
    at,
    [touch('a'), touch('a'), say('Done.')],
    () => ({ behaviour: 'allow', scope: 'saved', destination: 'user' }),
  );
  await prompt('Go');
  expect(asked).toHaveLength(1);
  const file = join(at.home, 'settings.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ permissions: { allow: ['Bash(touch a)'] } });
  expect(events.find((event) => event.type === 'notice_given')).toMatchObject({
    level: 'info',
    text: `Saved to ${file}: add allow Bash(touch a).`,
  });
  await session.close();
  const again = await open(at, [touch('a'), say('Done.')]);
  await again.prompt('Go');
  expect(again.events.filter((event) => event.type === 'permission_denied')).toEqual([]);
  await again.session.close();
});

test('a rule that cannot be saved is said so, and holds for the session', async () => {
  const at = work();
  mkdirSync(join(at.cwd, '.cadre'));
  writeFileSync(join(at.cwd, '.cadre', 'settings.local.json'), '');
  const { prompt, session, asked, events } = await answering(
    at,
    [
      // It was empty, which is no settings; by the time of the answer it is none of ours.
      touch('a'),
      touch('a'),
      say('Done.'),
    ],
    () => {
      writeFileSync(join(at.cwd, '.cadre', 'settings.local.json'), 'not json');
      return { behaviour: 'allow', scope: 'saved' };
    },
  );
  await prompt('Go');
  expect(asked).toHaveLength(1);
  expect(events.find((event) => event.type === 'notice_given')).toMatchObject({
    level: 'warning',
    text: expect.stringMatching(
      /settings\.local\.json:1:\d+: not valid JSON.*applies until the session ends/,
    ),
  });
  expect(auditOf(at).find((line) => line.type === 'grant')).toMatchObject({ problem: expect.any(String) });
  await session.close();
});

test('an allow that cannot be written to the audit log does not count, and that is said', async () => {
  const at = work();
  mkdirSync(at.home, { recursive: true });
  writeFileSync(join(at.home, 'audit'), 'in the way');
  const { prompt, session, events } = await answering(
    at,
    [touch('a'), expecting({ toolResult: 'denied because the approval cannot be written' }, say('Well.'))],
    () => ({ behaviour: 'allow', scope: 'session' }),
  );
  await prompt('Go');
  expect(made(at, 'a')).toBe(false);
  expect(events.find((event) => event.type === 'notice_given')).toMatchObject({ level: 'warning' });
  await session.close();
});

test('the audit log has what rules, roles and modes deny, with its rule and layer', async () => {
  const at = work();
  const { prompt, session } = await open(at, [touch('a'), say('Well.')], {
    disallowedTools: ['Bash(touch:*)'],
  });
  await prompt('Go');
  expect(auditOf(at)).toMatchObject([
    {
      type: 'denial',
      agentId: null,
      tool: 'Bash',
      decision: { by: 'rule', rule: 'Bash(touch:*) (cli: --disallowedTools)' },
    },
  ]);
  await session.close();
});

test('secrets are masked in the audit log, and long inputs bounded', async () => {
  const at = work();
  at.environment.MY_TOKEN = 'hunter2hunter2';
  const { prompt, session } = await open(at, [
    call('Bash', { command: `touch hunter2hunter2 ${'x'.repeat(100_000)}` }),
    say('Well.'),
  ]);
  await prompt('Go');
  const [question] = auditOf(at);
  const text = JSON.stringify(question);
  expect(text).not.toContain('hunter2');
  expect(text.length).toBeLessThan(5_000);
  expect(question).toMatchObject({ inputHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  await session.close();
});

test('a session that keeps nothing leaves nothing in the audit log', async () => {
  const at = work();
  const { prompt, session } = await answering(
    at,
    [touch('a'), say('Done.')],
    () => ({ behaviour: 'allow' }),
    { persist: false },
  );
  await prompt('Go');
  expect(made(at, 'a')).toBe(true);
  expect(auditOf(at)).toEqual([]);
  await session.close();
});

test('calls that ask the same at once are one entry, and one answer lets both run', async () => {
  const at = work();
  const read = call('Read', { file_path: '/etc/hostname' });
  const { prompt, session, events } = await open(at, [together(read, read), say('Done.')], {
    attended: true,
  });
  const done = prompt('Go');
  while (session.approvals.waiting()[0]?.count !== 2) await Bun.sleep(1);
  const [entry] = session.approvals.waiting();
  session.send({ type: 'answer', questionId: entry?.question.id ?? '', answer: { behaviour: 'allow' } });
  expect((await done).kind).toBe('completed');
  expect(events.filter((event) => event.type === 'tool_ended' && !event.isError)).toHaveLength(2);
  expect(auditOf(at).map((line) => line.type)).toEqual(['question', 'question', 'answer', 'answer']);
  await session.close();
});

test('a call whose question was open when the turn was interrupted was not denied: it did not run', async () => {
  const at = work();
  const { prompt, session, events } = await open(at, [touch('a')], { attended: true });
  const done = prompt('Go');
  while (session.approvals.waiting().length < 1) await Bun.sleep(1);
  session.send({ type: 'interrupt' });
  expect((await done).kind).toBe('interrupted');
  expect(events.filter((event) => event.type === 'permission_denied')).toEqual([]);
  expect(JSON.stringify(await recordsOf(session))).toContain('Not run: the turn was interrupted.');
  expect(auditOf(at)).toMatchObject([{ type: 'question' }, { type: 'answer', by: 'interrupt' }]);
  await session.close();
});

test('no rule is suggested where none could grant it', async () => {
  const at = work();
  const { prompt, session, asked } = await answering(
    at,
    [touch('a'), call('Write', { file_path: '.git/config', content: '' }), say('Done.')],
    () => ({ behaviour: 'deny', message: 'no' }),
    { settings: '{"permissions": {"ask": ["Bash(touch:*)"]}}' },
  );
  await prompt('Go');
  expect(asked.map((question) => question.suggestions)).toEqual([[], []]);
  await session.close();
});

test('directories that come with an answer are workspace from then on', async () => {
  const at = work();
  const other = work();
  const file = join(other.cwd, 'x.txt');
  writeFileSync(file, 'hello');
  chmodSync(file, 0o644);
  const read = call('Read', { file_path: file });
  const { prompt, session, asked } = await answering(at, [read, read, say('Done.')], () => ({
    behaviour: 'allow',
    updates: [{ type: 'add_directories', directories: [other.cwd], destination: 'session' }],
  }));
  await prompt('Go');
  expect(asked).toHaveLength(1);
  await session.close();
});

test('answers given to the queue are on the tape, and a replay saves nothing', async () => {
  const at = work();
  const tape = join(at.cwd, '../run.tape');
  const options = { attended: true, sessionId: crypto.randomUUID() };
  const { session, prompt } = await open(at, [touch('a'), say('Done.')], { ...options, record: tape });
  const done = prompt('Go');
  while (session.approvals.waiting().length < 1) await Bun.sleep(1);
  const questionId = session.approvals.waiting()[0]?.question.id ?? '';
  session.send({ type: 'answer', questionId, answer: { behaviour: 'allow', scope: 'saved' }, by: 'person' });
  expect((await done).kind).toBe('completed');
  expect((await session.close()).ok).toBe(true);
  const file = join(at.cwd, '.cadre', 'settings.local.json');
  expect(existsSync(file)).toBe(true);
  rmSync(file);
  const opened = await openSession({ cwd: at.cwd, environment: at.environment, replay: tape });
  if (!opened.ok) throw new Error(opened.problem.message);
  for (const command of opened.value.recorded()) opened.value.send(command);
  await opened.value.finished(AbortSignal.timeout(10_000));
  expect(await opened.value.close()).toEqual({ ok: true, value: undefined });
  expect(existsSync(file)).toBe(false);
});

const agent = (prompt: string, type = 'general-purpose') =>
  call('Agent', { description: 'Touch it', prompt, subagent_type: type, run_in_background: false });

test('PE5 what is granted to an agent is asked of the lead again; its question bears its badge', async () => {
  const at = work();
  const { prompt, session, asked } = await answering(
    at,
    [agent('Touch a.'), touch('a'), touch('a'), say('Touched.'), touch('a'), say('Done.')],
    () => ({ behaviour: 'allow', scope: 'agent' }),
  );
  expect((await prompt('Go')).kind).toBe('completed');
  expect(asked).toMatchObject([
    { agentId: expect.any(String), asker: { type: 'general-purpose', description: 'Touch it' } },
    { agentId: null, asker: { type: 'lead' } },
  ]);
  expect(auditOf(at).filter((line) => line.type === 'grant')).toMatchObject([
    { scope: 'agent', agentId: asked[0]?.agentId },
    { scope: 'agent', agentId: null },
  ]);
  await session.close();
});

test('PE5 what is granted for the session is asked of nobody again', async () => {
  const at = work();
  const { prompt, session, asked } = await answering(
    at,
    [
      agent('Touch a.'),
      touch('a'),
      say('Touched.'),
      agent('Again.'),
      touch('a'),
      say('Touched.'),
      touch('a'),
      say('Done.'),
    ],
    () => ({ behaviour: 'allow', scope: 'session' }),
  );
  expect((await prompt('Go')).kind).toBe('completed');
  expect(asked).toHaveLength(1);
  await session.close();
});

test('the audit log has what an agent’s role denies', async () => {
  const at = work();
  const { prompt, session } = await open(at, [
    agent('Touch a.', 'Explore'),
    touch('a'),
    say('No.'),
    say('Done.'),
  ]);
  await prompt('Go');
  expect(auditOf(at)).toMatchObject([
    { type: 'denial', agentId: expect.any(String), decision: { by: 'role' } },
  ]);
  await session.close();
});
