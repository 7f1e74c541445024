import { expect, test } from 'bun:test';
import { Conversation } from '../../src/loop/conversation.ts';
import { estimateTokens } from '../../src/loop/tokens.ts';
import { type AssistantRecord, noUsage, type Usage, type UserRecord } from '../../src/protocol/index.ts';

const base = { parentUuid: null, sessionId: 's', timestamp: 'then', isSidechain: false };

const said = (text: string): UserRecord => ({
  ...base,
  type: 'user',
  uuid: text,
  message: { role: 'user', content: [{ type: 'text', text }] },
  origin: { kind: 'human' },
});

const answered = (
  usage: Partial<Usage>,
  stop_reason: 'end_turn' | 'unknown' = 'end_turn',
): AssistantRecord => ({
  ...base,
  type: 'assistant',
  uuid: 'a',
  message: {
    role: 'assistant',
    id: 'm',
    model: 'm',
    content: [{ type: 'text', text: 'Yes.' }],
    stop_reason,
    usage: { ...noUsage, ...usage },
  },
});

test('tokens are what the last answer reported and an estimate for what came after', () => {
  const usage = {
    input_tokens: 10,
    cache_read_input_tokens: 200,
    cache_creation_input_tokens: 30,
    output_tokens: 5,
  };
  const conversation = new Conversation([said('Hello'), answered(usage)]);
  expect(conversation).toMatchObject({ tokens: 245, isMeasured: true });
  const next = said('And a longer question after that.');
  conversation.add(next);
  expect(conversation.tokens).toBe(245 + estimateTokens(next.message.content));
});

test.each([
  ['reports nothing', answered({})],
  ['reports its own length only', answered({ output_tokens: 9 })],
  ['was cut off', answered({ input_tokens: 3 }, 'unknown')],
])('an answer that %s is estimated like everything else', (_, answer) => {
  const conversation = new Conversation([said('Hello'), answer]);
  expect(conversation.isMeasured).toBe(false);
  expect(conversation.tokens).toBe(conversation.grown);
});

test('an image counts by what it shows, not by its bytes', () => {
  const source = { type: 'base64' as const, media_type: 'image/png', data: 'A'.repeat(1_000_000) };
  expect(estimateTokens([{ type: 'image', source }])).toBeLessThan(2_000);
});

test('text of any script is estimated by its bytes', () => {
  expect(estimateTokens([{ type: 'text', text: '日'.repeat(300) }])).toBeGreaterThanOrEqual(300);
});

test('a conversation that begins anew leaves the messages that somebody still sends alone', () => {
  const conversation = new Conversation([said('Hello'), answered({ input_tokens: 9 })]);
  const sent = conversation.messages;
  conversation.restart([said('In short')]);
  expect(sent).toHaveLength(2);
  expect(conversation.messages).toHaveLength(1);
  expect(conversation.isMeasured).toBe(false);
});
