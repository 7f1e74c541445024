import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { KeyGate } from '../../src/tui/keys/key-gate.ts';
import { needs } from '../support/index.ts';
import { seen, settled, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

function gate() {
  const clock = manualClock();
  const chunks: string[] = [];
  const keys = new KeyGate(clock, (chunk) => chunks.push(Buffer.from(chunk).toString('utf8')));
  return {
    clock,
    chunks,
    take: (...pieces: (string | Uint8Array)[]) => {
      for (const piece of pieces) keys.take(Buffer.from(piece as string));
    },
    text: () => chunks.join(''),
  };
}

/** Every way to break it in two. */
function splits(sequence: string): [Uint8Array, Uint8Array][] {
  const bytes = Buffer.from(sequence, 'latin1');
  return Array.from({ length: bytes.length - 1 }, (_, at) => [
    bytes.subarray(0, at + 1),
    bytes.subarray(at + 1),
  ]);
}

const said = {
  'the focus that comes': '\u001b[I',
  'the focus that goes': '\u001b[O',
  'a pointer, as most terminals say it': '\u001b[<0;10;20M',
  'a pointer that is let go': '\u001b[<35;120;43m',
  'a pointer, as old terminals say it': '\u001b[M\u0020\u00ff!',
  'the kind of terminal': '\u001b[?62;4;22c',
  'its version': '\u001b[>41;366;0c',
  'its name': '\u001bP>|xterm(366)\u001b\\',
  'a capability': '\u001bP1+r524742=382f382f38\u001b\\',
  'where the cursor is': '\u001b[12;40R',
  'that all is well': '\u001b[0n',
  'its size': '\u001b[8;24;80t',
  'a mode': '\u001b[?2026;2$y',
  'its keyboard': '\u001b[?1u',
  'light or dark': '\u001b[?997;1n',
  'a colour': '\u001b]11;rgb:1e1e/1e1e/1e1e\u001b\\',
  'a colour, ended by a bell': '\u001b]10;rgb:ffff/ffff/ffff\u0007',
  'the clipboard': '\u001b]52;c;cm0gLXJm\u0007',
  'a picture': '\u001b_Gi=31;OK\u001b\\',
  'the end of a paste that nobody began': '\u001b[201~',
};

for (const [what, sequence] of Object.entries(said))
  test(`what a terminal says is not typed, whole or in two: ${what}`, () => {
    for (const pieces of [[Buffer.from(sequence, 'latin1')], ...splits(sequence)]) {
      const { take, text, clock } = gate();
      take('a', ...pieces.slice(0, 1));
      clock.advance(60);
      take(...pieces.slice(1), 'b');
      clock.advance(1_000);
      expect(text()).toBe('ab');
    }
  });

const keys = [
  '\u001b[D',
  '\u001bOA',
  '\u001b[1;5C',
  '\u001b[3~',
  '\u001b\u001b[A',
  '\u001b[[A',
  '\u001b[2$',
  '\u001b[97;5u',
  '\u001b[27;5;9~',
];

for (const key of keys)
  test(`a key arrives in one piece, however it came: ${JSON.stringify(key)}`, () => {
    for (const [first, second] of splits(key)) {
      const { take, chunks, clock } = gate();
      take(first);
      clock.advance(60);
      take(second);
      clock.advance(1_000);
      expect(chunks).toEqual([key]);
    }
  });

test('escape by itself is a key after a moment', () => {
  const { take, text, clock } = gate();
  take('\u001b');
  clock.advance(79);
  expect(text()).toBe('');
  clock.advance(1);
  expect(text()).toBe('\u001b[27u');
});

test('the rest of a key that comes later still is no text', () => {
  const { take, chunks, clock } = gate();
  take('\u001b');
  clock.advance(200);
  take('[D');
  expect(chunks).toEqual(['\u001b[27u', '\u001b[D']);
});

test('what is typed after escape is typed', () => {
  const { take, chunks, clock } = gate();
  take('\u001b');
  clock.advance(200);
  take('[');
  take('O');
  take('OK');
  expect(chunks).toEqual(['\u001b[27u', '[', 'O', 'OK']);
});

test('what is typed right behind escape is typed', () => {
  const { take, chunks } = gate();
  take('\u001b', '!ls', '\u001b', 'Often', '\u001b', 'b');
  take('\u001b!ls', '\u001b!');
  expect(chunks).toEqual(['\u001b[27u!ls', '\u001b[27uOften', '\u001bb', '\u001b[27u!ls', '\u001b!']);
});

test('letters with alt pass at once, also those that sequences begin with', () => {
  const { take, chunks, clock } = gate();
  take('\u001bb', '\u001b\r', '\u001b_');
  clock.advance(80);
  expect(chunks).toEqual(['\u001bb', '\u001b\r', '\u001b_']);
});

test('text around what a terminal says stays together', () => {
  const { take, chunks } = gate();
  take('one\u001b[Itwo\u001b]11;rgb:0/0/0\u0007three é\u001b[A');
  expect(chunks).toEqual(['onetwothree é\u001b[A']);
});

test('something that a terminal began and did not end takes no key with it', () => {
  const { take, text } = gate();
  take('\u001b]11;rgb:1e', '\r', '\u001b]11;rgb', '\u001b[A');
  expect(text()).toBe('\r\u001b[A');
});

test('the mark that begins a paste may come in pieces, and all that is in it is text', () => {
  for (const [first, second] of splits('\u001b[200~')) {
    const { take, text, clock } = gate();
    take(first, second, 'x\u001b[I\r', '\u001b[201~');
    clock.advance(30);
    take('y');
    expect(text()).toBe('\u001b[200~x\u001b[I\r\u001b[201~y');
  }
});

test('a paste whose end never comes is ended by the interrupt key', () => {
  const { take, text, clock } = gate();
  take('\u001b[200~text', '\u0003');
  clock.advance(1_000);
  take('\u0003', 'a');
  expect(text()).toBe('\u001b[200~text\u0003\u001b[201~\u0003a');
});

tmuxTest('a prompt that is typed right behind escape is whole', () =>
  withScreen([], async (screen) => {
    await seen(screen, 'anthropic/');
    screen.press('Escape');
    screen.type('!echo whole');
    await seen(screen, '❯ !echo whole');
  }),
);

tmuxTest('an arrow key in two pieces moves, and what the terminal says is not typed', () =>
  withScreen([], async (screen) => {
    await seen(screen, 'anthropic/');
    screen.type('ac');
    await seen(screen, '❯ ac');
    screen.bytes('\u001b');
    await Bun.sleep(40);
    screen.bytes('[D');
    await settled(screen);
    for (const sequence of Object.values(said)) screen.bytes(sequence);
    screen.type('b');
    await seen(screen, '❯ abc');
    await settled(screen);
    expect(screen.visible()).toMatch(/❯ abc$/m);
  }),
);
