import { expect, test } from 'bun:test';
import parseKeypress from '../../../node_modules/ink/build/parse-keypress.js';
import { type Key, readKey, readKeys } from '../../../src/tui/editor/index.ts';

const none = { ctrl: false, alt: false, shift: false };

test.each([
  ['a letter', 'a', {}, { ...none, name: 'text', text: 'a' }],
  ['a burst of characters', 'abc\r', {}, { ...none, name: 'text', text: 'abc\r' }],
  ['ctrl and a letter', 'a', { ctrl: true }, { ...none, ctrl: true, name: 'a' }],
  ['alt and a letter', 'B', { meta: true, shift: true }, { ...none, alt: true, shift: true, name: 'b' }],
  ['enter', '', { return: true }, { ...none, name: 'return' }],
  [
    'enter with shift, of a terminal that tells',
    '\r',
    { return: true, shift: true },
    { ...none, shift: true, name: 'return' },
  ],
  ['shift and tab', '', { tab: true, shift: true }, { ...none, shift: true, name: 'tab' }],
  ['escape twice', '', { escape: true, meta: true }, { ...none, name: 'escape' }],
  ['a line feed', '\n', {}, { ...none, ctrl: true, name: 'j' }],
  ['shift and enter as xterm writes it', '[27;2;13~', {}, { ...none, shift: true, name: 'return' }],
  ['ctrl and a letter as xterm writes it', '[27;5;97~', {}, { ...none, ctrl: true, name: 'a' }],
] as const)('%s', (_, input, ink, key) => {
  expect(readKey(input, ink)).toEqual(key as Key);
});

test.each([
  ['a release', 'a', { eventType: 'release' }],
  ['a report of the mouse', '[<0;10;5M', {}],
  ['a report of focus', '[I', {}],
  ['a sequence that nobody knows', '[1;5;9~', {}],
  ['a key with the command key', 'a', { super: true }],
  ['nothing', '', {}],
] as const)('%s is no key', (_, input, ink) => {
  expect(readKey(input, ink)).toBeUndefined();
});

test('keys with ctrl that come along with text are keys', () => {
  const said = readKeys('\u0015ab\tc\u001f\r\r', {}).map(({ name, ctrl, text }) => [ctrl, text ?? name]);
  expect(said).toEqual([
    [true, 'u'],
    [false, 'ab\tc'],
    [true, '_'],
    [false, 'return'],
    [false, 'return'],
  ]);
});

test('text that begins with a bracket is text', () => {
  expect(readKey('[', {})?.text).toBe('[');
  expect(readKey('[a] b', {})?.text).toBe('[a] b');
});

test('Ink still tells the keys apart by the names that are used here', () => {
  const names = ['\x1b[D', '\x1b[1;5D', '\x7f', '\x1b\x7f', '\x1f', '\x1b\r'].map((bytes) => {
    const { name, ctrl, meta } = parseKeypress(bytes);
    return `${ctrl ? 'ctrl-' : ''}${meta ? 'alt-' : ''}${name}`;
  });
  expect(names).toEqual(['left', 'ctrl-left', 'backspace', 'alt-backspace', 'ctrl-_', 'alt-return']);
});
