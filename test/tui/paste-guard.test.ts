import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { type Input, plainKey } from '../../src/tui/keys/key.ts';
import { PasteGuard } from '../../src/tui/keys/paste-guard.ts';
import { needs } from '../support/index.ts';
import { seen, settled, withScreen } from './support.ts';

const tmuxTest = needs('tmux');
const begin = '\u001b[200~';
const end = '\u001b[201~';

function openGuard() {
  const clock = manualClock();
  const given: Input[] = [];
  const guard = new PasteGuard(clock, (inputs) => given.push(...inputs));
  return {
    clock,
    given,
    take: (...pieces: string[]) => {
      for (const piece of pieces) guard.take(piece);
    },
  };
}

test('what follows the end of a paste at once is pasted too', () => {
  const { take, given, clock } = openGuard();
  take(`one${end}!rm\r`, `more\r${end}`);
  clock.advance(30);
  expect(given).toEqual([{ pasted: 'one!rm\rmore\r' }]);
});

test.each([
  ['at once', [`one\rtwo${end}\r`]],
  ['in a piece of its own', [`one\rtwo${end}`, '\r']],
  ['after a mark in two pieces', ['one\rtwo\u001b[20', '1~', '\r']],
])('a return that is alone behind a paste is a key, %s', (_, pieces) => {
  const { take, given, clock } = openGuard();
  take(...pieces);
  expect(given).toEqual([]);
  clock.advance(30);
  expect(given).toEqual([{ pasted: 'one\rtwo' }, plainKey('return')]);
});

test.each([
  ['the real end of the paste follows', [`one${end}`, '\r', end]],
  ['more follows', [`one${end}`, '\r', '!rm\r']],
  ['there are two', [`one${end}`, '\r', '\r']],
])('a return behind the mark is pasted where %s', (_, pieces) => {
  const { take, given, clock } = openGuard();
  take(...pieces);
  clock.advance(30);
  expect(given).toEqual([{ pasted: pieces.join('').replaceAll(end, '') }]);
});

test('a mark in pieces, or made by taking another out, ends nothing', () => {
  const { take, given, clock } = openGuard();
  take(`a\u001b[20`, `1~b\u001b[20${end}1~c\u001b[20\u001b[20`, '1~1~d', end);
  clock.advance(30);
  expect(given).toEqual([{ pasted: 'abcd' }]);
});

test('a character that comes in two pieces is one', () => {
  const { take, given, clock } = openGuard();
  const bytes = Buffer.from('日').toString('latin1');
  take(bytes.slice(0, 2), bytes.slice(2) + end);
  clock.advance(30);
  expect(given).toEqual([{ pasted: '日' }]);
});

test('a paste of any length is read once', () => {
  const { take, given, clock } = openGuard();
  const marks = '\u001b[20'.repeat(100_000) + '1~'.repeat(100_000);
  const pieces = Array.from({ length: 4_000 }, (_, number) => `line ${number}\n`.repeat(100));
  take(...pieces, marks, end);
  clock.advance(30);
  expect(given).toEqual([{ pasted: pieces.join('') }]);
});

tmuxTest('a paste that holds the end of a paste runs nothing', () =>
  withScreen([], async (screen) => {
    await seen(screen, 'anthropic/');
    screen.type(`${begin}look${end}\r!touch made\r`);
    await seen(screen, '!touch made');
    await settled(screen);
    expect(await Bun.file(`${screen.place.cwd}/made`).exists()).toBe(false);
    expect(screen.provider.received).toHaveLength(0);
  }),
);
