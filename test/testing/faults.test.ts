import { expect, test } from 'bun:test';
import { fakeProvider } from '../../src/testing/fake-provider/fake-provider.ts';
import type { Fault } from '../../src/testing/fake-provider/faults.ts';
import { call, faulty, type RawTurn, say, type Turn, together } from '../../src/testing/turns.ts';

const answer = together(say('Let me see.'), call('Read', { file_path: '/a/b/c' }));
const ask = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }], stream: true };

async function textOf(turn: Turn, path = '/v1/messages'): Promise<{ text: string; response: Response }> {
  await using provider = await fakeProvider({ script: [turn] });
  const response = await fetch(`${provider.url}${path}`, { method: 'POST', body: JSON.stringify(ask) });
  const text = await response.text().catch((error: Error) => `broken: ${error.message}`);
  expect(provider.complaints).toEqual([]);
  return { text, response };
}

async function eventsWith(fault: Fault): Promise<string[]> {
  const { text } = await textOf(faulty(fault, answer));
  return [...text.matchAll(/^event: (.*)$/gm)].map((match) => match[1] ?? '');
}

const whole = await eventsWith({ kind: 'drip', bytes: 64, pauseMs: 0 });

test('an answer without a fault has all of its events', () => {
  expect(whole.at(0)).toBe('message_start');
  expect(whole.at(-1)).toBe('message_stop');
});

test('an event is missing, comes twice or changes places, by number or by name', async () => {
  expect(await eventsWith({ kind: 'missing', event: 'message_delta' })).toEqual(
    whole.filter((name) => name !== 'message_delta'),
  );
  expect(await eventsWith({ kind: 'duplicated', event: 0 })).toEqual(['message_start', ...whole]);
  expect((await eventsWith({ kind: 'swapped', event: -2 })).slice(-2)).toEqual([
    'message_stop',
    'message_delta',
  ]);
});

test('an answer is cut after bytes or events, by an end or by breaking the connection', async () => {
  expect((await textOf(faulty({ kind: 'cut', afterBytes: 10 }, answer))).text).toBe('event: mes');
  expect(await eventsWith({ kind: 'cut', afterEvents: 2 })).toEqual(whole.slice(0, 2));
  const { text } = await textOf(faulty({ kind: 'cut', afterEvents: 2, by: 'reset' }, answer));
  expect(text).toStartWith('broken: ');
});

test('an error takes the place of an event, in the words of the wire', async () => {
  const fault: Fault = { kind: 'error_event', event: 2, message: 'Overloaded', status: 529 };
  expect((await textOf(faulty(fault, answer))).text).toEndWith(
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_fake"}\n\n',
  );
  const chat = await textOf(faulty(fault, answer), '/v1/chat/completions');
  expect(chat.text).toMatch(/\n\ndata: \{"error":\{"message":"Overloaded"/);
});

test('the last piece of a tool input never comes', async () => {
  const { text } = await textOf(faulty({ kind: 'truncated_input' }, answer));
  const json = [...text.matchAll(/"partial_json":("(?:[^"\\]|\\.)*")/g)].map((match) =>
    JSON.parse(match[1] ?? '""'),
  );
  expect('{"file_path":"/a/b/c"}').toStartWith(json.join(''));
  expect(json.join('')).not.toEndWith('}');
});

test('the type of the content can be another, and the answer whole in place of streamed', async () => {
  const { response } = await textOf(faulty({ kind: 'content_type', type: 'text/plain' }, answer));
  expect(response.headers.get('content-type')).toBe('text/plain');
  const { text } = await textOf(faulty({ kind: 'not_streamed' }, answer));
  expect(JSON.parse(text)).toMatchObject({ role: 'assistant' });
});

test('any HTTP answer can be given', async () => {
  const raw: RawTurn = { raw: { status: 418, headers: { 'x-odd': 'yes' }, body: 'short and stout' } };
  const { text, response } = await textOf(raw);
  expect([response.status, response.headers.get('x-odd'), text]).toEqual([418, 'yes', 'short and stout']);
});

test('a fault that names an event that is not there is complained of', async () => {
  await using provider = await fakeProvider({
    script: [faulty({ kind: 'missing', event: 'nothing' }, answer)],
  });
  await fetch(`${provider.url}/v1/messages`, { method: 'POST', body: JSON.stringify(ask) }).catch(() => {});
  expect(provider.complaints[0]).toContain('no event "nothing"');
});
