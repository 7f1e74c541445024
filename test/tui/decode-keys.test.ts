import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { KeyReader } from '../../src/tui/keys/key-reader.ts';
import { formatInput } from './format-input.ts';

/** What a terminal sends, and the keys that it means. */
const tables: Readonly<Record<string, readonly (readonly [bytes: string, keys: string])[]>> = {
  'every terminal': [
    ['a', '"a"'],
    ['é', '"é"'],
    ['日本', '"日本"'],
    ['👩‍👩‍👧', '"👩‍👩‍👧"'],
    ['\r', 'return'],
    ['\n', 'ctrl-j'],
    ['\t', 'tab'],
    ['\x7f', 'backspace'],
    ['\b', 'backspace'],
    ['\0', 'ctrl- '],
    ['\x01', 'ctrl-a'],
    ['\x1a', 'ctrl-z'],
    ['\x1f', 'ctrl-_'],
    ['\x1b', 'escape'],
    ['\x1bb', 'alt-b'],
    ['\x1bB', 'alt-shift-b'],
    ['\x1b<', 'alt-<'],
    ['\x1b_', 'alt-_'],
    ['\x1b\r', 'alt-return'],
    ['\x1b\n', 'ctrl-alt-j'],
    ['\x1b\x7f', 'alt-backspace'],
    ['\x1b\x1f', 'ctrl-alt-_'],
  ],
  'VT and xterm': [
    ['\x1b[A', 'up'],
    ['\x1b[B', 'down'],
    ['\x1b[C', 'right'],
    ['\x1b[D', 'left'],
    ['\x1b[H', 'home'],
    ['\x1b[F', 'end'],
    ['\x1b[Z', 'shift-tab'],
    ['\x1bOA', 'up'],
    ['\x1bOB', 'down'],
    ['\x1bOC', 'right'],
    ['\x1bOD', 'left'],
    ['\x1bOH', 'home'],
    ['\x1bOF', 'end'],
    ['\x1bOM', 'return'],
    ['\x1b[1~', 'home'],
    ['\x1b[3~', 'delete'],
    ['\x1b[4~', 'end'],
    ['\x1b[5~', 'pageup'],
    ['\x1b[6~', 'pagedown'],
    ['\x1b[1;2D', 'shift-left'],
    ['\x1b[1;3D', 'alt-left'],
    ['\x1b[1;5D', 'ctrl-left'],
    ['\x1b[1;8D', 'ctrl-alt-shift-left'],
    ['\x1b[5D', 'ctrl-left'],
    ['\x1bO5D', 'ctrl-left'],
    ['\x1b[1;5H', 'ctrl-home'],
    ['\x1b[1;5F', 'ctrl-end'],
    ['\x1b[3;5~', 'ctrl-delete'],
    ['\x1b[3;3~', 'alt-delete'],
    ['\x1b[5;2~', 'shift-pageup'],
    ['\x1b[27;2;13~', 'shift-return'],
    ['\x1b[27;5;13~', 'ctrl-return'],
    ['\x1b[27;5;97~', 'ctrl-a'],
    ['\x1b[27;6;65~', 'ctrl-shift-a'],
    ['\x1b[27;5;9~', 'ctrl-tab'],
    ['\x1b[27;2;65~', '"A"'],
  ],
  tmux: [
    ['\x1b[1;3A', 'alt-up'],
    ['\x1b\x1b[A', 'alt-up'],
    ['\x1b\x1bOA', 'alt-up'],
    ['\x1b[97;6u', 'ctrl-shift-a'],
    ['\x1b[13;2u', 'shift-return'],
  ],
  kitty: [
    ['\x1b[27u', 'escape'],
    ['\x1b[27;3u', 'escape'],
    ['\x1b[13u', 'return'],
    ['\x1b[9;2u', 'shift-tab'],
    ['\x1b[127;5u', 'ctrl-backspace'],
    ['\x1b[127;3u', 'alt-backspace'],
    ['\x1b[97;5u', 'ctrl-a'],
    ['\x1b[98;3u', 'alt-b'],
    ['\x1b[98;33u', 'alt-b'],
    ['\x1b[97;5:1u', 'ctrl-a'],
    ['\x1b[97;5:2u', 'ctrl-a'],
    ['\x1b[97;69u', 'ctrl-a'],
    ['\x1b[97;;97u', '"a"'],
    ['\x1b[97:65;2;65u', '"A"'],
    ['\x1b[228u', '"ä"'],
    ['\x1b[57414u', 'return'],
    ['\x1b[57419;5u', 'ctrl-up'],
    ['\x1b[57426u', 'delete'],
    ['\x1b[1;1:1A', 'up'],
    ['\x1b[1;5:2C', 'ctrl-right'],
    ['\x1b[3;1:1~', 'delete'],
  ],
  'rxvt, PuTTY and the Linux console': [
    ['\x1b[7~', 'home'],
    ['\x1b[8~', 'end'],
    ['\x1b[a', 'shift-up'],
    ['\x1b[d', 'shift-left'],
    ['\x1bOd', 'ctrl-left'],
    ['\x1b[3$', 'shift-delete'],
    ['\x1b[3^', 'ctrl-delete'],
    ['\x1b[7^', 'ctrl-home'],
    ['\x1b[[5~', 'pageup'],
    ['\x1b[[6~', 'pagedown'],
  ],
};

/** Keys that the app has no use for, and sequences that are no keys. None of them is typed. */
const ignored = [
  ...['\x1bOP', '\x1b[11~', '\x1b[15~', '\x1b[[A', '\x1b[2~', '\x1b[2;5~', '\x1b[E', '\x1bOE', '\x1b[P'],
  ...[
    '\x1b[97;5:3u',
    '\x1b[1;1:3A',
    '\x1b[3;1:3~',
    '\x1b[97;9u',
    '\x1b[97;17u',
    '\x1b[57441;2u',
    '\x1b[57376u',
  ],
  ...[
    '\x1b[99999999u',
    '\x1b[27;5;9999999~',
    '\x1b[1;5;9~',
    '\x1b[99~',
    '\x1b[9;9;9x',
    '\x1b[1;2;3;4;5m',
    '\x1b[?5h',
  ],
];

/** Every way to cut the bytes in two, and each byte alone. */
function cut(bytes: Uint8Array): Uint8Array[][] {
  const alone = Array.from(bytes, (byte) => Uint8Array.of(byte));
  return [
    [bytes],
    alone,
    ...alone.slice(1).map((_, at) => [bytes.subarray(0, at + 1), bytes.subarray(at + 1)]),
  ];
}

/** The keys that a sequence means, typed between two others. */
function read(chunks: readonly Uint8Array[]): string[] {
  const clock = manualClock();
  const read: string[] = [];
  const reader = new KeyReader(clock, (inputs) => read.push(...inputs.map(formatInput)));
  reader.take(Buffer.from('1'));
  for (const chunk of chunks) {
    clock.advance(60);
    reader.take(chunk);
  }
  clock.advance(1_000);
  reader.take(Buffer.from('2'));
  return read;
}

/** Characters that arrive one by one are typed one by one. */
const join = (keys: readonly string[]) => keys.join(' ').replaceAll('" "', '');

for (const [terminal, table] of Object.entries(tables))
  test.each(table)(`${terminal}: %j is %s, however it is cut`, (sequence, keys) => {
    for (const chunks of cut(Buffer.from(sequence)))
      expect(join(read(chunks))).toBe(join(['"1"', keys, '"2"']));
  });

test.each(ignored)('%j is no key, however it is cut', (sequence) => {
  for (const chunks of cut(Buffer.from(sequence))) expect(join(read(chunks))).toBe('"12"');
});

test('keys that come in one chunk are separate, and their text stays together', () => {
  expect(read([Buffer.from('\x15ab\tc\x1f\r\r\x1b[Dx\x7fé')])).toEqual([
    ...['"1"', 'ctrl-u', '"ab\\tc"', 'ctrl-_', 'return', 'return', 'left', '"x"', 'backspace', '"é"', '"2"'],
  ]);
});

test('bytes that are no text are shown as such, and take no key with them', () => {
  expect(join(read([Buffer.from('a\xffb\xe6\x1b[A', 'latin1')]))).toBe('"1a\ufffdb\ufffd" up "2"');
});
