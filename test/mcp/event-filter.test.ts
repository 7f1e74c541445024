import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { EventFilter } from '../../src/mcp/transport/event-filter.ts';
import { MessageRate } from '../../src/mcp/transport/message-rate.ts';

function filter(pieces: string[], largest = 100): string {
  const events = new EventFilter(new MessageRate(manualClock(), () => {}), largest);
  const passed = pieces.map((piece) => events.add(Buffer.from(piece)) ?? [Buffer.from('ENDED')]);
  return Buffer.concat(passed.flat()).toString();
}

test('events pass whole, however they are cut and whatever ends their lines', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = ['event: message', 'data: {"a":"ü"}', '', 'data: 1', 'data: 2', '', ''].join(end);
    const bytes = Buffer.from(text);
    for (let at = 1; at < bytes.length; at++) {
      const events = new EventFilter(new MessageRate(manualClock(), () => {}), 100);
      const passed = [bytes.subarray(0, at), bytes.subarray(at)].flatMap((piece) => events.add(piece) ?? []);
      // A carriage return at the very end may be the first half of a line's end, but ends it all the same.
      expect(Buffer.concat(passed).toString()).toBe(
        'event: message\ndata: {"a":"ü"}\n\ndata: 1\ndata: 2\n\n',
      );
    }
  }
});

test('comments go no further, and count for what they weigh', () => {
  expect(filter([': hello\ndata: 1\n', ':\n\n'])).toBe('data: 1\n\n');
  expect(filter([`:${'x'.repeat(6_000 * 1024)}\n`])).toBe('ENDED');
});

test('an event that is too large is dropped over all its lines, its call is told at once, and the next one comes', () => {
  const line = `data: ${'x'.repeat(30)}\n`;
  const told = `data: {"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"It sent a message of more than 100 bytes."}}\n\n`;
  const head = 'event: message\ndata: {"jsonrpc":"2.0","id":7,"result":"\n';
  expect(filter([head, line, line])).toBe(told);
  expect(filter([head, line, line, line, '\ndata: 1\n\n'])).toBe(`${told}data: 1\n\n`);
  expect(filter([line, line, line, line, 'data: ,"id":7}\n', '\n', 'data: 1\n\n'])).toBe(
    `${told}data: 1\n\n`,
  );
});

test('more events than may come end the stream, and so does one without end', () => {
  expect(filter(['data: 1\n\n'.repeat(5_001)])).toEndWith('ENDED');
  let offences = 0;
  const rate = new MessageRate(manualClock(), () => offences++);
  expect(rate.allowsPending(513 * 1024 * 1024)).toBe(false);
  expect(rate.allows()).toBe(false);
  expect([offences, rate.offence]).toEqual([1, 'It sent an endless message and was stopped.']);
});

test('an answer of another form becomes an error for its call; other lines of its event stay', () => {
  const head = 'event: message\nid: 3\n';
  const told = (reason: string) =>
    `${head}data: {"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"It sent an invalid answer: ${reason}."}}\n\n`;
  const answer = (rest: string) => `${head}data: {"jsonrpc":"2.0","id":7${rest}}\n\n`;
  expect(filter([answer(',"result":5')], 500)).toBe(told('result: expected an object, found the number 5'));
  expect(filter([answer(',"error":"no"')], 500)).toBe(told('error: expected a code and a message'));
  expect(filter([answer(',"result":{},"more":1')], 500)).toBe(answer(',"result":{}'));
  for (const sound of [answer(',"result":{"a":1}'), answer(',"method":"ping"')])
    expect(filter([sound], 500)).toBe(sound);
});
