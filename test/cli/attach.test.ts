import { expect, test } from 'bun:test';
import { fakeProvider, hang, say, type TurnMaker } from '../../src/testing/index.ts';
import { cadre, newPlace, start, until } from './support.ts';

const session = '55555555-5555-4555-8555-555555555555';
const frame = (text: string) =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`;

const answer: TurnMaker = ({ messages }) => {
  const last = JSON.stringify(messages.at(-1));
  if (last.includes('Wait')) return hang();
  return say(`Heard ${/one|two|three/.exec(last)?.[0]}.`);
};

test('RM4 on a pipe attach prints lines, sends what it reads, and leaves when that is answered', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: answer });
  const owner = start(
    ['--input-format', 'stream-json', '--output-format', 'stream-json', '--session-id', session],
    {
      ...{ place, provider, input: 'pipe' },
    },
  );
  owner.child.stdin?.write(frame('one'));
  await until(() => provider.requests.length === 1);
  const text = await cadre(['attach'], { place, input: 'two\n' });
  expect(text).toMatchObject({ code: 0, err: '' });
  expect(text.out).toContain('> one\nHeard one.\n> two\nHeard two.\n');
  const frames = await cadre(['attach', session.slice(0, 5), '--output-format', 'stream-json'], {
    ...{ place, input: frame('three') },
  });
  expect(frames.code).toBe(0);
  const all = frames.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(all.find(({ type }) => type === 'assistant')?.message.content[0].text).toBe('Heard three.');
  expect(all.find(({ type }) => type === 'result')).toMatchObject({ subtype: 'success' });
  owner.child.stdin?.end();
  expect((await owner.ended).code).toBe(0);
});

test('RM4 a host that is attached controls the session, and is told what is not possible', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: answer });
  const owner = start(
    ['--input-format', 'stream-json', '--output-format', 'stream-json', '--session-id', session],
    {
      ...{ place, provider, input: 'pipe' },
    },
  );
  owner.child.stdin?.write(frame('Wait'));
  await until(() => provider.requests.length === 1);
  const control = (subtype: string) =>
    `${JSON.stringify({ type: 'control_request', request_id: subtype, request: { subtype } })}\n`;
  const input = control('rewind_files') + control('interrupt');
  const { out, code } = await cadre(['attach', '--output-format', 'stream-json'], { place, input });
  expect(code).toBe(0);
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const find = (id: string) => answers.find(({ response }) => response?.request_id === id)?.response.subtype;
  expect([find('rewind_files'), find('interrupt')]).toEqual(['error', 'success']);
  owner.child.stdin?.end();
  await owner.ended;
});

test('RM4 attach says what to do when no session runs, or another one is meant', async () => {
  const place = newPlace();
  const none = await cadre(['attach'], { place });
  expect(none).toMatchObject({
    code: 2,
    err: expect.stringContaining('No session is running on this machine.'),
  });
  await using provider = await fakeProvider({ script: [say('Done.')] });
  await cadre(['-p', 'Go.', '--session-id', session], { place, provider });
  const ended = await cadre(['attach', session], { place });
  expect(ended.err).toContain(`Continue it: cadre --resume ${session}`);
});
