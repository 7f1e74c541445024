import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { ranMark } from '../../src/protocol/index.ts';
import { createLayout } from '../../src/store/layout.ts';
import { listSessions } from '../../src/store/sessions.ts';
import { say } from '../../src/testing/index.ts';
import { type Opened, open, type Place, place } from './support.ts';

const token = 'ghp_a8Xk29sLmQ0tZ71bVn4R';

function work(environment: Record<string, string> = {}): Place {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  return { ...at, environment: { ...at.environment, ...environment } };
}

async function run({ session }: Opened, command: string, signal = new AbortController().signal) {
  let text = '';
  const output = (chunk: Uint8Array) => {
    text += Buffer.from(chunk);
  };
  return { ended: await session.runOwnCommand({ command, signal, output }), text };
}

test('a command of the user runs where the session is; no agent hears of it', async () => {
  const at = work();
  const opened = await open(at, []);
  const { ended, text } = await run(opened, 'pwd; exit 3');
  expect(ended).toEqual({ ok: true, value: { code: 3, reason: 'exit code 3' } });
  expect(text).toBe(`${at.cwd}\n`);
  await opened.session.settled();
  expect(opened.model.requests).toEqual([]);
  expect(opened.session.tasks()).toEqual([]);
  await opened.session.close();
});

test('what it prints holds no secret that the session knows', async () => {
  const opened = await open(work({ MY_TOKEN: token }), []);
  const { text } = await run(opened, `echo is ${token}`);
  expect(text).toBe('is [masked: MY_TOKEN]\n');
  await opened.session.close();
});

test('it ends with its signal', async () => {
  const opened = await open(work(), []);
  const stop = new AbortController();
  const running = run(opened, 'sleep 600', stop.signal);
  stop.abort();
  expect((await running).ended).toEqual({ ok: true, value: { code: null, reason: 'stopped' } });
  await opened.session.close();
});

test('it ends with its session', async () => {
  const opened = await open(work(), []);
  const running = run(opened, 'sleep 600');
  await opened.session.close();
  expect((await running).ended).toMatchObject({ ok: true, value: { reason: 'stopped' } });
});

test('what was added to a prompt is in no title, and does not come back with a rewind', async () => {
  const at = work();
  const { session, runs } = await open(at, [say('Yes.')]);
  const content = [
    { type: 'text' as const, text: 'Is it good?' },
    { type: 'text' as const, text: `${ranMark}\n\n<cadre-shell command="ls">\na\n</cadre-shell>` },
  ];
  session.send({ type: 'prompt', content });
  await runs(1);
  const points = await session.checkpoints();
  const to = (points.ok && points.value[0]?.uuid) || '';
  const rewound = await session.rewind({ to, what: 'conversation' });
  expect(rewound).toMatchObject({ ok: true, value: { to: { prompt: 'Is it good?' } } });
  await session.close();
  const [found] = await listSessions(createLayout(at.home), at.cwd, 5);
  expect(found?.title).toBe('Is it good?');
});
