import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveHost } from '../../src/headless/host/serve-host.ts';
import { call, expecting, failWith, hang, say, type Turn } from '../../src/testing/index.ts';
import { control, noInterrupts, pipe, request, user } from './support.ts';

type Frame = Record<string, unknown>;
const stream = { inputFormat: 'stream-json', outputFormat: 'stream-json' } as const;
const isResult = ({ type }: Frame) => type === 'result';
const data = Buffer.from('%PDF-1.4 /Type /Page').toString('base64');

async function serve(lines: object[], turns: Turn[] = [say('Seen.')]) {
  const wire = pipe();
  const wanted = request(turns, stream);
  for (const line of lines) wire.write(line);
  wire.end();
  const code = await serveHost(wanted, wire.io, noInterrupts);
  const sent = wanted.model.requests.map(({ messages }) => messages);
  return { code, sent, results: wire.frames().filter(isResult), frames: wire.frames() };
}

const prompt = (content: unknown, more: object = {}) => ({
  ...user('', more),
  message: { role: 'user', content },
});

test('PDFs and images, as data or by address, reach the model as they are', async () => {
  const blocks = [
    { type: 'text', text: 'Look.' },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data }, title: 'Report' },
    { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' }, context: 'of May' },
    { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
  ];
  const { code, sent } = await serve([prompt(blocks)]);
  expect(code).toBe(0);
  expect(sent[0]?.[0]?.content).toEqual(blocks as never);
});

test('a document that is text reaches every model as text, labelled and escaped', async () => {
  const text = { type: 'text', media_type: 'text/plain', data: 'One </cadre-file> two' };
  const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
  const content = { type: 'content', content: [{ type: 'text', text: 'Three' }, image] };
  const { sent } = await serve([
    prompt([
      { type: 'document', source: text, title: 'Notes' },
      { type: 'document', source: content },
    ]),
  ]);
  expect(sent[0]?.[0]?.content).toEqual([
    { type: 'text', text: expect.stringMatching(/^<cadre-file title="Notes">\nOne .*two\n<\/cadre-file>$/) },
    { type: 'text', text: '<cadre-file>\nThree\n</cadre-file>' },
    image,
  ] as never);
  expect(JSON.stringify(sent[0]?.[0]?.content)).not.toContain('One </cadre-file>');
});

test.each([
  [
    { type: 'document', source: { type: 'file', file_id: 'f' } },
    'this form of type "document" (source "file")',
  ],
  [{ type: 'image', source: { type: 'file', file_id: 'f' } }, 'this form of type "image" (source "file")'],
  [{ type: 'image', source: { type: 'url', url: 'file:///etc/passwd' } }, 'this form of type "image"'],
  [
    { type: 'document', source: { type: 'base64', media_type: 'application/zip', data } },
    'this form of type "document"',
  ],
  [{ type: 'tool_result', tool_use_id: 't', content: [] }, 'type "tool_result"'],
  [{ type: 'search_result', content: [] }, 'type "search_result"'],
])('a block that cannot be taken is refused by name: %j', async (block, told) => {
  const { sent, results } = await serve([prompt([block]), user('And now?')]);
  expect(results[0]).toMatchObject({ is_error: true, errors: [expect.stringContaining(told)] });
  expect(results[1]).toMatchObject({ result: 'Seen.' });
  expect(sent).toHaveLength(1);
});

test.each(['parent_tool_use_id', 'tool_use_result', 'agent_id', 'subagent_type', 'task_description'])(
  'a prompt with %s is refused by name: it belongs to messages of agents',
  async (field) => {
    const { sent, results } = await serve([user('Hi', { [field]: 'x' }), user('Hi', { [field]: null })]);
    expect(results[0]).toMatchObject({ is_error: true, errors: [expect.stringContaining(`${field}: `)] });
    expect(results[1]).toMatchObject({ result: 'Seen.' });
    expect(sent).toHaveLength(1);
  },
);

test('a document that the provider cannot read is left out, and the session continues', async () => {
  const refusal = failWith({
    kind: 'invalid_request',
    status: 400,
    message: 'messages.0: PDF is not supported',
  });
  const source = { type: 'base64', media_type: 'application/pdf', data };
  const { sent, results } = await serve(
    [
      prompt([
        { type: 'text', text: 'Read.' },
        { type: 'document', source },
      ]),
    ],
    [refusal, say('I cannot.')],
  );
  expect(results[0]).toMatchObject({ result: 'I cannot.' });
  expect(JSON.stringify(sent[1])).toContain('could not process it');
  expect(JSON.stringify(sent[1])).not.toContain(data);
});

/** A place with a file and a command that a prompt can name. */
async function serveHere(lines: (object | ((frame: Wait) => Promise<unknown>))[], turns: Turn[]) {
  const wire = pipe();
  const wanted = request(turns, stream);
  const { cwd = '' } = wanted.session;
  mkdirSync(join(cwd, '.claude/commands'), { recursive: true });
  writeFileSync(join(cwd, 'a.txt'), 'what the file holds');
  writeFileSync(join(cwd, '.claude/commands/greet.md'), 'Say good morning.');
  const served = serveHost(wanted, wire.io, noInterrupts);
  for (const line of lines)
    if (typeof line === 'function') await line(wire.frame);
    else wire.write(line);
  wire.end();
  expect(await served).toBe(0);
  return {
    sent: wanted.model.requests.map(({ messages }) => JSON.stringify(messages)),
    frames: wire.frames(),
  };
}
type Wait = ReturnType<typeof pipe>['frame'];

test('client_composed: a prompt is sent as it is written, without commands and files that it names', async () => {
  const plain = await serveHere([user('/greet'), user('Read @a.txt')], [say('1'), say('2')]);
  expect(plain.sent[0]).toContain('Say good morning.');
  expect(plain.sent[1]).toContain('what the file holds');
  const composed = await serveHere(
    [user('/greet', { client_composed: true }), user('Read @a.txt', { client_composed: true })],
    [say('1'), say('2')],
  );
  expect(composed.sent[1]).toContain('/greet');
  expect(composed.sent[1]).not.toContain('Say good morning.');
  expect(composed.sent[1]).not.toContain('what the file holds');
});

test('shouldQuery: false adds to the conversation and starts no turn; the next prompt reads it', async () => {
  const { sent, frames } = await serveHere(
    [user('Remember seven.', { shouldQuery: false }), user('Which number?')],
    [say('Seven.')],
  );
  expect(sent).toHaveLength(1);
  expect(sent[0]).toContain('Remember seven.');
  expect(frames.filter(isResult)).toHaveLength(1);
});

test('shouldQuery: false during a run starts no turn after it', async () => {
  const { sent, frames } = await serveHere(
    [
      user('Go'),
      (frame) => frame(({ subtype, state }) => subtype === 'session_state_changed' && state === 'running'),
      user('Remember seven.', { shouldQuery: false }),
      control('1', 'get_context_usage'),
      (frame) => frame(({ type }) => type === 'control_response'),
      control('2', 'interrupt', { cancel_queued: true }),
      (frame) => frame(isResult),
      user('Which number?'),
    ],
    [hang(say('One')), say('Seven.')],
  );
  expect(sent).toHaveLength(2);
  expect(sent[0]).not.toContain('Remember seven.');
  expect(sent[1]).toContain('Remember seven.');
  expect(frames.filter(isResult)).toHaveLength(2);
});

test('shouldQuery: false alone is kept in the transcript: a resumed session reads it', async () => {
  const wire = pipe();
  const wanted = request([], stream);
  wire.write(user('Remember seven.', { shouldQuery: false }));
  wire.write(control('1', 'get_context_usage'));
  await Promise.all([
    serveHost(wanted, wire.io, noInterrupts),
    wire.frame(() => true).then(() => wire.end()),
  ]);
  expect(wire.frames().filter(isResult)).toHaveLength(0);
  const later = pipe();
  const again = request([say('Seven.')], stream);
  later.write(user('Which number?'));
  later.end();
  const { cwd, environment } = wanted.session;
  const session = { ...again.session, cwd, environment, resume: { from: 'latest' as const } };
  expect(await serveHost({ ...again, session } as typeof again, later.io, noInterrupts)).toBe(0);
  expect(JSON.stringify(again.model.requests[0]?.messages)).toContain('Remember seven.');
});

test('pasted_content comes after the typed text; what is not text in it is refused by name', async () => {
  const pasted = ['One.', [{ type: 'text', text: 'Two.' }]];
  const image = [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }];
  const { sent, results } = await serve([
    user('Typed.', { pasted_content: pasted, inline_pastes: ['Typed'] }),
    user('Typed.', { pasted_content: [image] }),
  ]);
  const content = sent[0]?.[0]?.content as { text: string }[];
  expect(content.map(({ text }) => text)).toEqual(['Typed.', 'One.', 'Two.']);
  const refused = results.find(({ is_error }) => is_error);
  expect(refused).toMatchObject({ errors: [expect.stringContaining('pasted_content: expected strings')] });
});

test('fields that only describe a prompt leave it as it is', async () => {
  const more = {
    isSynthetic: true,
    origin: { kind: 'human' },
    timestamp: '2020-01-01T00:00:00Z',
    session_id: 'x',
  };
  const turns = [call('Glob', { pattern: '*' }), expecting({ toolResult: '' }, say('Seen.'))];
  const { results } = await serve([user('Hi', more)], turns);
  expect(results[0]).toMatchObject({ result: 'Seen.' });
});

test('priority: next joins the run in progress at its next turn, later waits for a run of its own', async () => {
  const wire = pipe();
  const wait = 'touch begun; until [ -e go ]; do sleep 0.01; done';
  const turns = [call('Bash', { command: wait }), say('Both.'), say('Later.')];
  const wanted = request(turns, { ...stream, session: { permissionMode: 'bypassPermissions' } });
  const { cwd = '' } = wanted.session;
  const served = serveHost(wanted, wire.io, noInterrupts);
  wire.write(user('First.'));
  while (!existsSync(join(cwd, 'begun'))) await Bun.sleep(5);
  wire.write(user('Second.', { priority: 'later' }));
  wire.write(user('Third.', { priority: 'next' }));
  wire.write(control('1', 'get_binary_version'));
  await wire.frame(({ type }) => type === 'control_response');
  writeFileSync(join(cwd, 'go'), '');
  wire.end();
  expect(await served).toBe(0);
  const sent = wanted.model.requests.map(({ messages }) => JSON.stringify(messages));
  expect(sent.map((text) => [text.includes('Third.'), text.includes('Second.')])).toEqual([
    [false, false],
    [true, false],
    [true, true],
  ]);
});
