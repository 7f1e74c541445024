import { expect, test } from 'bun:test';
import { PassThrough } from 'node:stream';
import { manualClock } from '../../src/lib/clock.ts';
import { KeyReader } from '../../src/tui/keys/key-reader.ts';
import { readReport } from '../../src/tui/keys/reports.ts';
import { Terminal, type TerminalTraits } from '../../src/tui/terminal/terminal.ts';
import { formatInput } from './format-input.ts';

const white = '\u001b]11;rgb:ffff/ffff/ffff\u001b\\';
const kitty = '\u001b[?0u';
const kind = '\u001b[?62;22c';

test('a background is light or dark, however many digits its colour has', () => {
  const read = (colour: string) => readReport(`\u001b]11;${colour}\u0007`);
  expect(read('rgb:ffff/ffff/ffff')).toEqual({ kind: 'background', background: 'light' });
  expect(read('rgb:fd/f6/e3')).toEqual({ kind: 'background', background: 'light' });
  expect(read('rgba:0000/2b2b/3636/ffff')).toEqual({ kind: 'background', background: 'dark' });
  expect(read('rgb:1/1/1')).toEqual({ kind: 'background', background: 'dark' });
  expect(read('cmyk:1/1/1')).toBeUndefined();
});

test('a terminal is asked for its background and its keyboard, and for its kind last', () => {
  const { takeOutput } = openTerminal({ isAsked: true });
  expect(takeOutput()).toEndWith('\u001b]11;?\u001b\\\u001b[?u\u001b[c');
});

test('a terminal that is not asked gets no question', () => {
  expect(openTerminal({}).takeOutput()).not.toContain('?u');
});

test('a terminal that knows the keyboard of kitty gets it, until it is given back', async () => {
  const { terminal, input, takeOutput } = openTerminal({ isAsked: true, modifiesKeys: true });
  takeOutput();
  input.write(kitty + kind);
  await Bun.sleep(0);
  expect(takeOutput()).toBe('\u001b[>5u');
  terminal.lend();
  expect(takeOutput()).toContain('\u001b[<u');
  terminal.takeBack();
  expect(takeOutput()).toContain('\u001b[>5u');
  terminal.close();
  expect(takeOutput()).toContain('\u001b[<u');
});

test('a terminal with the keyboard of xterm gets that, and another none', async () => {
  const xterm = openTerminal({ isAsked: true, modifiesKeys: true });
  xterm.takeOutput();
  xterm.input.write(kind);
  await Bun.sleep(0);
  expect(xterm.takeOutput()).toBe('\u001b[>4;1m');
  xterm.terminal.close();
  expect(xterm.takeOutput()).toContain('\u001b[>4m');
  const other = openTerminal({ isAsked: true });
  other.takeOutput();
  other.input.write(kind);
  await Bun.sleep(0);
  expect(other.takeOutput()).toBe('');
});

test('an answer that is due is waited for, so that it does not reach the shell', async () => {
  const { terminal, input } = openTerminal({ isAsked: true });
  let isSettled = false;
  const settled = terminal.settle().then(() => {
    isSettled = true;
  });
  input.write(white);
  await Bun.sleep(0);
  expect([terminal.background, isSettled]).toEqual(['light', false]);
  input.write(kind);
  await settled;
});

test('a terminal that never answers is not waited for much', async () => {
  const { terminal, clock } = openTerminal({ isAsked: true });
  const settled = terminal.settle();
  clock.advance(300);
  await settled;
});

test('the terminal knows whether its window is in front once it has said so', async () => {
  const { terminal, input } = openTerminal({});
  expect(terminal.isFocused).toBeUndefined();
  input.write('\u001b[O');
  await Bun.sleep(0);
  expect(terminal.isFocused).toBe(false);
  input.write('\u001b[I');
  await Bun.sleep(0);
  expect(terminal.isFocused).toBe(true);
});

test('that the window came to the front with what was dropped on it is not part of that', () => {
  const clock = manualClock();
  const read: string[] = [];
  const reader = new KeyReader(clock, (inputs) => read.push(...inputs.map(formatInput)));
  reader.take(Buffer.from('\u001b[200~/tmp/a.png\u001b[201~\u001b[I'));
  clock.advance(50);
  expect(read.join(' ')).toContain('/tmp/a.png');
  expect(read.join(' ')).not.toContain('[I');
});

test('a shortcut is the key, whatever letter another layout has there', () => {
  const read: string[] = [];
  const reader = new KeyReader(manualClock(), (inputs) => read.push(...inputs.map(formatInput)));
  reader.take(Buffer.from('\u001b[1089::99;5u'));
  reader.take(Buffer.from('\u001b[1089::99u'));
  expect(read).toEqual([
    formatInput({ name: 'c', ctrl: true, alt: false, shift: false }),
    expect.any(String),
  ]);
  expect(read[1]).toContain('с');
});

function openTerminal(traits: TerminalTraits) {
  const input = new PassThrough();
  const output = new PassThrough();
  let written = '';
  output.on('data', (chunk) => {
    written += chunk;
  });
  const clock = manualClock();
  const streams = {
    input: input as unknown as NodeJS.ReadStream,
    output: output as unknown as NodeJS.WriteStream,
  };
  const terminal = new Terminal(streams, clock, traits);
  const takeOutput = () => {
    const text = written;
    written = '';
    return text;
  };
  return { terminal, input, clock, takeOutput };
}
