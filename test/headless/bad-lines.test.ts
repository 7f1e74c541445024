import { expect, test } from 'bun:test';
import { serveHost } from '../../src/headless/host/serve-host.ts';
import { say } from '../../src/testing/index.ts';
import { control, noInterrupts, pipe, request, user } from './support.ts';

const stream = { inputFormat: 'stream-json', outputFormat: 'stream-json' } as const;

test.each<[line: string, says: string]>([
  ['hello', 'not valid JSON at column 1: expected a value'],
  ['{"type":"user"', 'not valid JSON at column 15: expected "," or "}"'],
  ['null', 'expected an object, found null'],
  ['[]', 'expected an object, found a list'],
  [
    '{}',
    'field type: expected one of user, control_request, control_response, control_cancel_request, keep_alive, found nothing',
  ],
  [
    '{"type":"banana"}',
    'field type: expected one of user, control_request, control_response, control_cancel_request, keep_alive, found "banana"',
  ],
  [
    '{"type":"toString"}',
    'field type: expected one of user, control_request, control_response, control_cancel_request, keep_alive, found "toString"',
  ],
  ['{"type":"user"}', 'field message: expected an object, found nothing'],
  [
    '{"type":"user","message":{"role":"assistant","content":"x"}}',
    'field message.role: expected "user", found a string',
  ],
  [
    '{"type":"user","message":{"role":"user","content":5}}',
    'field message.content: expected text or a list of blocks, found the number 5',
  ],
  [
    '{"type":"user","message":{"role":"user","content":"x"},"priority":"urgent"}',
    'field priority: expected one of now, next, later, found a string',
  ],
  [
    '{"type":"user","message":{"role":"user","content":"x"},"shouldQuery":"no"}',
    'field shouldQuery: expected true or false, found a string',
  ],
  [
    '{"type":"control_request","request_id":5,"request":{"subtype":"interrupt"}}',
    'field request_id: expected a string, found the number 5',
  ],
  [
    '{"type":"control_request","request_id":"1","request":{"subtype":5}}',
    'field request.subtype: expected a string, found the number 5',
  ],
  ['{"type":"control_response"}', 'field response: expected an object, found nothing'],
  [
    '{"type":"control_response","response":{"subtype":"error","request_id":"1"}}',
    'field response.error: expected a string',
  ],
  ['{"type":"control_cancel_request"}', 'field request_id: expected a string, found nothing'],
])(
  'a line that is not understood is told in words of ours, with what was expected: %s',
  async (line, says) => {
    const { io, write, end, err } = pipe();
    write(`${line}\n`);
    end();
    expect(await serveHost(request([], stream), io, noInterrupts)).toBe(2);
    expect(err()).toContain(`stdin, line 1: ${says}`);
    expect(err()).not.toMatch(/Invalid|discriminator|JSON Parse|undefined/);
  },
);

test('a line that arrives in many pieces is read once, whole', async () => {
  const { io, write, end, frames } = pipe();
  const whole = `${JSON.stringify(user('Grüße '.repeat(20_000)))}\n`;
  for (let at = 0; at < whole.length; at += 997) write(whole.slice(at, at + 997));
  end();
  const wanted = request([say('Fine.')], stream);
  expect(await serveHost(wanted, io, noInterrupts)).toBe(0);
  expect(frames().filter((frame) => frame.type === 'result')).toMatchObject([{ result: 'Fine.' }]);
  expect(JSON.stringify(wanted.model.requests[0])).toContain('Grüße '.repeat(20_000));
});

test('agents of initialize that are no object, and a mode that is missing, are refused by name', async () => {
  const { io, write, end, frames } = pipe();
  write(control('1', 'initialize', { agents: [] }));
  end();
  expect(await serveHost(request([], stream), io, noInterrupts)).toBe(2);
  expect(JSON.stringify(frames())).toContain('agents: expected an object of agents by name');
  const second = pipe();
  second.write(control('2', 'set_permission_mode'));
  second.end();
  expect(await serveHost(request([], stream), second.io, noInterrupts)).toBe(0);
  expect(JSON.stringify(second.frames())).toContain('set_permission_mode: expected mode, one of default');
});
