import { expect, test } from 'bun:test';
import { PassThrough } from 'node:stream';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import { say } from '../../src/testing/index.ts';
import type { Drawing } from '../../src/tui/drawing.ts';
import { createEditor, displayText, emptyEditor } from '../../src/tui/editor/index.ts';
import { type EarlyTyped, nothingTyped, typeEarly } from '../../src/tui/keys/early-keys.ts';
import { KeyReader } from '../../src/tui/keys/key-reader.ts';
import { frame } from '../../src/tui/screen/frame.ts';
import { EarlyFrame, earlyLines, welcomeFacts } from '../../src/tui/terminal/early.ts';
import { Terminal } from '../../src/tui/terminal/terminal.ts';
import { makeTheme } from '../../src/tui/text/index.ts';
import { emptyView } from '../../src/view/index.ts';
import { needs } from '../support/index.ts';
import { formatInput } from './format-input.ts';
import { seen, withScreen } from './support.ts';

const theme = makeTheme({ level: 'none', background: 'dark' });
const drawing: Drawing = { width: 60, theme, home: '/home/a', places: [], now: 0, plain: false };

/** What is typed so far and what waits, after these chunks. */
function typed(...chunks: (string | Uint8Array)[]): { text: string; rest: string } | 'interrupted' {
  const typed: { now: EarlyTyped | 'interrupted' } = { now: nothingTyped };
  const clock = manualClock();
  const reader = new KeyReader(clock, (inputs) => {
    if (typed.now !== 'interrupted') typed.now = typeEarly(typed.now, inputs);
  });
  for (const chunk of chunks) {
    reader.take(Buffer.from(chunk as string));
    clock.advance(100);
  }
  const { now } = typed;
  if (now === 'interrupted') return now;
  return { text: displayText(now.editor), rest: now.rest.map(formatInput).join(' ') };
}

test('text that is typed early is in the prompt, and what was taken back is not', () => {
  expect(typed('helo', '\u007f', 'lo')).toEqual({ text: 'hello', rest: '' });
});

test('a character that comes in two parts is one', () => {
  const bytes = Buffer.from('a日🎉');
  const parts = Array.from(bytes, (byte) => Uint8Array.of(byte));
  expect(typed(...parts)).toEqual({ text: 'a日🎉', rest: '' });
  expect(typed(bytes.subarray(0, 3))).toMatchObject({ text: 'a' });
});

test.each([
  ['return', 'fix it\rand more', 'fix it', 'return "and more"'],
  ['an arrow', 'ab\u001b[Dc', 'ab', 'left "c"'],
  ['tab', '/he\t', '/he', 'tab'],
  ['a new line', 'one\ntwo', 'one', '"\\ntwo"'],
  ['a paste', 'see \u001b[200~a\rb\u001b[201~', 'see ', 'paste:"a\\rb"'],
])('%s and all behind it waits for the screen', (_, chunk, text, rest) => {
  expect(typed(chunk)).toEqual({ text, rest });
});

test('what comes behind a key that waits keeps its place', () => {
  expect(typed('one\r', 'two', '\u007f')).toEqual({ text: 'one', rest: 'return "two" backspace' });
});

test('the interrupt key clears what is typed, and what waits', () => {
  expect(typed('one', '\u0003', 'two')).toEqual({ text: 'two', rest: '' });
  expect(typed('one\r', '\u0003')).toEqual({ text: '', rest: '' });
});

test('the interrupt key with nothing typed interrupts', () => {
  expect(typed('\u0003')).toBe('interrupted');
  expect(typed('one', '\u0003', '\u0003')).toBe('interrupted');
});

test('in a paste it is text like any other', () => {
  expect(typed('\u001b[200~a\u0003b\u001b[201~')).toEqual({ text: '', rest: 'paste:"a\\u0003b"' });
});

test('an escape by itself ends nothing yet, and makes no other key of the next one', () => {
  expect(typed('a', '\u001b', 'x\u001b[27uy')).toEqual({ text: 'axy', rest: '' });
});

test.each(['', 'typed early', 'a long one '.repeat(12)])(
  'the early frame is the first of the screen: %#',
  (text) => {
    const editor = text === '' ? emptyEditor() : createEditor(text);
    const place = { cwd: '/home/a/work', branch: 'main' };
    const state = { view: emptyView(place), editor, columns: 60, rows: 24, now: 0 };
    expect(earlyLines(editor, { ...place, rows: 24 }, drawing)).toEqual(frame(state, drawing));
  },
);

test('every key is echoed while the session is being opened', async () => {
  const { frame: early, input, output } = openEarly();
  input.write('abc');
  await new Promise((resolve) => setImmediate(resolve));
  expect(Bun.stripANSI(output())).toContain('❯ abc');
  const { editor } = early.handOver(false, known);
  expect(displayText(editor)).toBe('abc');
});

test('after the hand-over nothing that was typed comes again', () => {
  const { frame: early } = openEarly();
  early.handOver(false, known);
  expect(early.handOver(false, known)).toMatchObject(nothingTyped);
});

const known = { model: 'scripted/model', mode: 'default' };

function openEarly() {
  const input = new PassThrough();
  const screen = new PassThrough();
  let output = '';
  screen.on('data', (chunk) => {
    output += chunk;
  });
  const terminal = new Terminal(
    { input: input as unknown as NodeJS.ReadStream, output: screen as unknown as NodeJS.WriteStream },
    systemClock,
  );
  const early = new EarlyFrame(
    terminal,
    { welcome: welcomeFacts('/', true), home: '/home/a', theme, plain: false },
    () => {},
  );
  return { frame: early, input, output: () => output };
}

const tmuxTest = needs('tmux');

tmuxTest('a prompt that is typed and sent before the screen is there is sent once', () =>
  withScreen([say('Heard.'), say('Heard again.')], async (screen) => {
    await seen(screen, 'Ask for something');
    screen.type('do it\rand then');
    await seen(screen, 'Heard.');
    await seen(screen, '❯ and then');
    expect(screen.provider.received).toHaveLength(1);
  }),
);

tmuxTest('what is typed early stays when the session begins with a prompt of the command line', () =>
  withScreen(
    [say('Begun.')],
    async (screen) => {
      screen.type('my next words');
      await seen(screen, 'Begun.');
      await seen(screen, '❯ my next words');
    },
    { flags: ['begin'] },
  ),
);
