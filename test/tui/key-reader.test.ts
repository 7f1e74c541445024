import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { KeyReader } from '../../src/tui/keys/key-reader.ts';
import { needs } from '../support/index.ts';
import { formatInput } from './format-input.ts';
import { seen, settled, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

function openReader() {
  const clock = manualClock();
  const chunks: string[] = [];
  const reader = new KeyReader(clock, (inputs) => chunks.push(inputs.map(formatInput).join(' ')));
  return {
    clock,
    chunks,
    take: (...pieces: (string | Uint8Array)[]) => {
      for (const piece of pieces) reader.take(Buffer.from(piece as string));
    },
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
      const { take, chunks, clock } = openReader();
      take('a', ...pieces.slice(0, 1));
      clock.advance(60);
      take(...pieces.slice(1), 'b');
      clock.advance(1_000);
      expect(chunks).toEqual(['"a"', '"b"']);
    }
  });

test('escape by itself is a key after a moment', () => {
  const { take, chunks, clock } = openReader();
  take('\u001b');
  clock.advance(79);
  expect(chunks).toEqual([]);
  clock.advance(1);
  expect(chunks).toEqual(['escape']);
});

test('escape twice is two keys', () => {
  const { take, chunks, clock } = openReader();
  take('\u001b\u001b');
  clock.advance(80);
  expect(chunks).toEqual(['escape escape']);
});

test('the rest of a key that comes later still is no text', () => {
  const { take, chunks, clock } = openReader();
  take('\u001b');
  clock.advance(200);
  take('[D');
  expect(chunks).toEqual(['escape', 'left']);
});

test('what is typed after escape is typed', () => {
  const { take, chunks, clock } = openReader();
  take('\u001b');
  clock.advance(200);
  take('[');
  take('O');
  take('OK');
  expect(chunks).toEqual(['escape', '"["', '"O"', '"OK"']);
});

test('what is typed right behind escape is typed', () => {
  const { take, chunks } = openReader();
  take('\u001b', '!ls', '\u001b', 'Often', '\u001b', 'b');
  take('\u001b!ls', '\u001bé', '\u001b!');
  expect(chunks).toEqual(['escape "!ls"', 'escape "Often"', 'alt-b', 'escape "!ls"', 'escape "é"', 'alt-!']);
});

test('letters with alt pass at once, also those that sequences begin with', () => {
  const { take, chunks, clock } = openReader();
  take('\u001bb', '\u001b\r', '\u001b_');
  clock.advance(80);
  expect(chunks).toEqual(['alt-b', 'alt-return', 'alt-_']);
});

test('text around what a terminal says comes at once', () => {
  const { take, chunks } = openReader();
  take('one\u001b[Itwo\u001b]11;rgb:0/0/0\u0007three é\u001b[A');
  expect(chunks).toEqual(['"one" "two" "three é" up']);
});

test('something that a terminal began and did not end takes no key with it', () => {
  const { take, chunks } = openReader();
  take('\u001b]11;rgb:1e', '\r', '\u001b]11;rgb', '\u001b[A');
  expect(chunks).toEqual(['return', 'up']);
});

test('the mark that begins a paste may come in pieces, and all that is in it is text', () => {
  for (const [first, second] of splits('\u001b[200~')) {
    const { take, chunks, clock } = openReader();
    take(first, second, 'x\u001b[I\r', '\u001b[201~');
    clock.advance(30);
    take('y');
    expect(chunks).toEqual(['paste:"x\\u001b[I\\r"', '"y"']);
  }
});

test('a paste right behind escape is a paste', () => {
  for (const chunk of [['\u001b\u001b[200~x\r\u001b[201~'], ['\u001b', '\u001b[200~x\r\u001b[201~']]) {
    const { take, chunks, clock } = openReader();
    take(...chunk);
    clock.advance(30);
    expect(chunks).toEqual(['escape', 'paste:"x\\r"']);
  }
});

test('a paste whose end never comes is ended by the interrupt key', () => {
  const { take, chunks, clock } = openReader();
  take('\u001b[200~text', '\u0003');
  clock.advance(1_000);
  take('\u0003', 'a');
  expect(chunks).toEqual(['paste:"text\\u0003" ctrl-c', '"a"']);
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
