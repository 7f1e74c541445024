import { expect, test } from 'bun:test';
import { countInput } from '../../src/models/budget/count-input.ts';
import { imageSize } from '../../src/models/budget/image-size.ts';
import { imageTokens } from '../../src/models/budget/image-tokens.ts';
import { rememberPrefix } from '../../src/models/budget/prefixes.ts';
import type { ImageBlock, Message, ModelRequest } from '../../src/protocol/index.ts';
import { requestOf, user } from './budget-support.ts';

const model = 'anthropic/claude-sonnet-5-5';

test('G1: without a count of before, every byte is a token', () => {
  const small = countInput(model, requestOf(1, { messages: [user('')] }));
  expect(countInput(model, requestOf(1, { messages: [user('é漢🙂')] }))).toBe(small + 2 + 3 + 4);
});

test('system, tools, calls, results and thinking count', () => {
  const bare = countInput(model, requestOf(1));
  const inputSchema = { type: 'object' };
  const tools = [{ name: 'Read', description: 'Reads.', inputSchema }];
  expect(countInput(model, requestOf(1, { system: ['be good'], tools }))).toBeGreaterThanOrEqual(
    bare + 'be goodReadReads.'.length + JSON.stringify(inputSchema).length,
  );
  const messages: Message[] = [
    {
      role: 'assistant',
      id: '',
      model: '',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's'.repeat(500) },
        { type: 'tool_use', id: 'call', name: 'Read', input: { path: 'x'.repeat(300) } },
      ],
      stop_reason: 'tool_use',
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
      },
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call', content: [{ type: 'text', text: 'y'.repeat(200) }] },
      ],
    },
  ];
  expect(countInput(model, requestOf(1, { messages }))).toBeGreaterThan(1_000);
});

test('G1: what was last reported stands for the unchanged beginning, bytes for the rest', () => {
  const first = requestOf(1);
  rememberPrefix(model, first, 777);
  expect(countInput(model, first)).toBe(777);
  const grown = { ...first, messages: [...first.messages, user('12345')] };
  const alone =
    countInput(model, requestOf(1, { messages: [user('12345')] })) -
    countInput(model, requestOf(1, { messages: [] }));
  expect(countInput(model, grown)).toBe(777 + alone);
});

test('the report of another model, another prompt or other tools says nothing', () => {
  const first = requestOf(1, { system: ['one'] });
  const uncounted = countInput(model, first);
  rememberPrefix(model, first, 5);
  expect(countInput('openai/gpt-5', first)).toBe(uncounted);
  expect(countInput(model, { ...first, system: ['two'] })).toBe(uncounted);
  expect(countInput(model, { ...first, system: ['one'] })).toBe(5);
  expect(
    countInput(model, { ...first, tools: [{ name: 'a', description: '', inputSchema: {} }] }),
  ).toBeGreaterThan(uncounted);
});

test('a changed message ends the known beginning', () => {
  const messages = [user('first'), user('second')];
  const request = requestOf(1, { messages });
  const uncounted = countInput(model, request);
  rememberPrefix(model, request, 5);
  expect(countInput(model, requestOf(1, { messages: [messages[0] ?? user(''), user('second')] }))).toBe(
    uncounted,
  );
});

test('a fork begins with what its parent was told', () => {
  const parent: ModelRequest = requestOf(1, {
    asker: { sessionId: 's', agentId: null, priority: 'foreground' },
  });
  rememberPrefix(model, parent, 500);
  const fork: ModelRequest = {
    ...parent,
    messages: [...parent.messages, user('go left')],
    asker: { sessionId: 's', agentId: 'fork', priority: 'background' },
  };
  expect(countInput(model, fork)).toBeLessThan(700);
});

test('G1: an image counts by its size, not by its bytes', () => {
  const image: ImageBlock = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: pngOf(1_000, 750) },
  };
  const large = { ...image, source: { ...image.source, data: pngOf(1_000, 750) + 'A'.repeat(1_000_000) } };
  const count = (block: ImageBlock) =>
    countInput(model, requestOf(1, { messages: [{ role: 'user', content: [block] }] }));
  expect(count(image)).toBe(count(large));
  expect(count(image)).toBeLessThan(2_500);
  expect(count(image)).toBeGreaterThan(1_000);
});

test('an image of unknown size counts as the largest', () => {
  expect(imageTokens(model, undefined)).toBe(4_784);
  expect(imageTokens('openai/gpt-5.5', undefined)).toBeGreaterThan(100_000);
});

test.each([
  [256, 256, 100, 77],
  [1_024, 1_024, 1_369, 1_229],
  [1_920, 1_080, 2_691, 2_448],
  [4_032, 3_024, 3_928, 14_364],
])('an image of %d by %d is never counted for less than providers do', (width, height, claude, gpt) => {
  expect(imageTokens(model, { width, height })).toBeGreaterThanOrEqual(claude);
  expect(imageTokens('openai/gpt-5.5', { width, height })).toBeGreaterThanOrEqual(gpt);
  expect(imageTokens('google/gemini-3-pro', { width, height })).toBeGreaterThanOrEqual(1_120);
});

test('sizes are read from PNG, GIF, JPEG and WebP', () => {
  const size = { width: 300, height: 200 };
  expect(imageSize(pngOf(300, 200))).toEqual(size);
  expect(imageSize(Buffer.from('GIF89a\x2c\x01\xc8\x00....', 'latin1').toString('base64'))).toEqual(size);
  const jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc2, 0, 17, 8, 0, 200, 1, 44, 3, 0, 0, 0];
  expect(imageSize(Buffer.from(jpeg).toString('base64'))).toEqual(size);
  const webp = Buffer.alloc(30);
  webp.write('RIFF....WEBPVP8X', 0, 'latin1');
  webp.writeUIntLE(299, 24, 3);
  webp.writeUIntLE(199, 27, 3);
  expect(imageSize(webp.toString('base64'))).toEqual(size);
  for (const bad of [
    '',
    'AAAA',
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0]).toString('base64'),
  ])
    expect(imageSize(bad)).toBeUndefined();
});

function pngOf(width: number, height: number): string {
  const bytes = Buffer.alloc(33);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 0, 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString('base64');
}
