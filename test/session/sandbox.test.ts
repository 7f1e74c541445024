import { expect } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Question } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, expecting, say, scriptedModel } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { open, type Place, place } from './support.ts';

const test = needs('bwrap');

function work(): Place & { outside: string } {
  const at = place();
  for (const path of [at.cwd, at.home]) mkdirSync(path, { recursive: true });
  return { ...at, outside: join(at.home, '..', 'outside') };
}

const confined: SessionOptions = { sandbox: true };

/** Answers every question with yes, and keeps it. */
function yes(): { questions: Question[]; onQuestion: NonNullable<SessionOptions['onQuestion']> } {
  const questions: Question[] = [];
  return {
    questions,
    onQuestion: async (question) => {
      questions.push(question);
      return { behaviour: 'allow' };
    },
  };
}

test('PE6 a yes to a question leaves a command inside; outside it is asked for, and the question says so', async () => {
  const at = work();
  const { questions, onQuestion } = yes();
  const touch = { command: `touch ${at.outside}` };
  const { session, prompt } = await open(
    at,
    [
      call('Bash', touch),
      expecting(
        { toolResult: 'Read-only file system' },
        call('Bash', { ...touch, dangerouslyDisableSandbox: true }),
      ),
      say('Done.'),
    ],
    { ...confined, onQuestion, settings: '{"permissions":{"ask":["Bash(touch:*)"]}}' },
  );
  await prompt('Go');
  expect(questions[0]?.decision.reason).not.toContain('outside');
  expect(questions[1]?.decision.reason).toContain('outside the sandbox');
  expect(questions[1]?.decision.reason).toContain('the sandbox blocked it: touch: cannot touch');
  expect(questions[1]?.risk.reasons).toContain('it runs outside the sandbox');
  expect(existsSync(at.outside)).toBe(true);
  await session.close();
});

test('a yes to reading a credential file shows that file inside, read-only, and the line stays inside', async () => {
  const at = work();
  const user = join(at.home, '..');
  mkdirSync(join(user, '.aws'));
  for (const name of ['.aws/credentials', '.aws/config', '.netrc'])
    writeFileSync(join(user, name), `${name}=1\n`);
  writeFileSync(join(at.cwd, '.env'), 'env=1\n');
  writeFileSync(
    join(at.cwd, 'probe.sh'),
    `cat ~/.netrc; cat ~/.aws/config; echo 2 >> ~/.aws/credentials; touch ${at.outside}; echo 2 >> .env`,
  );
  const { questions, onQuestion } = yes();
  const { session, prompt } = await open(
    at,
    [
      call('Bash', { command: 'cat .env ~/.aws/credentials; sh probe.sh 2>/dev/null' }),
      expecting({ toolResult: /^env=1\n\.aws\/credentials=1$/ }, say('Done.')),
    ],
    { ...confined, onQuestion },
  );
  expect((await prompt('Go')).kind).toBe('completed');
  expect(questions).toHaveLength(1);
  expect(existsSync(at.outside)).toBe(false);
  expect(readFileSync(join(user, '.aws/credentials'), 'utf8')).toBe('.aws/credentials=1\n');
  expect(readFileSync(join(at.cwd, '.env'), 'utf8')).toBe('env=1\n2\n');
  await session.close();
});

test('where nothing may run outside it stays inside, whoever allowed it', async () => {
  const at = work();
  const { questions, onQuestion } = yes();
  const outside = call('Bash', { command: `touch ${at.outside}`, dangerouslyDisableSandbox: true });
  const { session, prompt } = await open(
    at,
    [
      call('Bash', { command: `touch ${at.outside}` }),
      expecting({ toolResult: 'Read-only file system' }, outside),
      expecting({ toolResult: 'nothing runs outside the sandbox here' }, say('Done.')),
    ],
    {
      ...confined,
      onQuestion,
      settings: '{"permissions":{"ask":["Bash(touch:*)"]},"sandbox":{"allowUnsandboxedCommands":false}}',
    },
  );
  expect((await prompt('Go')).kind).toBe('completed');
  expect(questions).toHaveLength(1);
  expect(existsSync(at.outside)).toBe(false);
  await session.close();
});

test('a rule that an answer adds lets the command run inside, and outside when it asks for that', async () => {
  const at = work();
  const command = `touch ${at.outside}`;
  const { questions, onQuestion } = yes();
  const { session, prompt } = await open(
    at,
    [
      call('Bash', { command }),
      expecting(
        { toolResult: 'dangerouslyDisableSandbox' },
        call('Bash', { command, dangerouslyDisableSandbox: true }),
      ),
      say('Done.'),
    ],
    { ...confined, onQuestion, allowedTools: [`Bash(${command})`] },
  );
  await prompt('Go');
  expect(questions).toEqual([]);
  expect(existsSync(at.outside)).toBe(true);
  await session.close();
});

test('nothing is tried out in a session that runs no command', async () => {
  const at = work();
  const tried = join(at.home, 'tried');
  const fake = join(at.home, 'bwrap');
  writeFileSync(fake, `#!/bin/sh\ntouch ${tried}; exit 1\n`, { mode: 0o755 });
  const settings = JSON.stringify({ sandbox: { bwrapPath: fake } });
  const { session, prompt } = await open(at, [call('Read', { file_path: 'x' }), say('Hi.')], {
    sandbox: true,
    settings,
  });
  await prompt('Go');
  expect(existsSync(tried)).toBe(false);
  await session.close();
});

test('settings switch it off, and an option goes before settings', async () => {
  const settings = '{"sandbox":{"enabled":false}}';
  const turns = () => [call('Bash', { command: 'echo x > made' }), say('Done.')];
  const [bare, forced] = [work(), work()];
  const model = scriptedModel(turns());
  const opened = await openSession({ cwd: bare.cwd, environment: bare.environment, model, settings });
  if (!opened.ok) throw new Error(opened.problem.message);
  await opened.value.run('Go');
  expect(existsSync(join(bare.cwd, 'made'))).toBe(false);
  await opened.value.close();
  const { session, prompt } = await open(forced, turns(), { sandbox: true, settings });
  await prompt('Go');
  expect(existsSync(join(forced.cwd, 'made'))).toBe(true);
  await session.close();
});

test('G10 whether there was a sandbox is on the tape', async () => {
  const at = work();
  const tape = join(at.home, 'run.tape');
  const { session, prompt } = await open(
    at,
    [call('Bash', { command: 'echo x > made; cat made' }), say('Done.')],
    {
      ...confined,
      record: tape,
    },
  );
  await prompt('Go');
  await session.close();
  expect(JSON.parse(readFileSync(tape, 'utf8').split('\n')[0] ?? '').options.sandbox).toBe(true);
  // On a machine that has none the same calls are judged the same.
  const settings = '{"sandbox":{"bwrapPath":"/nowhere"}}';
  const replayed = await openSession({ cwd: at.cwd, environment: at.environment, replay: tape, settings });
  if (!replayed.ok) throw new Error(replayed.problem.message);
  for (const command of replayed.value.recorded()) replayed.value.send(command);
  await replayed.value.finished(AbortSignal.timeout(10_000));
  expect(await replayed.value.close()).toEqual({ ok: true, value: undefined });
});
