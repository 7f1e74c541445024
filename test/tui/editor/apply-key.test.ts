import { describe, expect, test } from 'bun:test';
import { applyKey, emptyEditor } from '../../../src/tui/editor/index.ts';
import { randomFrom, randomText } from '../text/support.ts';
import { at, context, effectOf, key, marked, press, sent, typed } from './support.ts';

const empty = emptyEditor();

describe('moving', () => {
  test.each([
    ['ctrl-a', 'one\ntwo th|ree', 'one\n|two three'],
    ['ctrl-e', 'one\ntw|o\nx', 'one\ntwo|\nx'],
    ['home', 'one tw|o', '|one two'],
    ['end', 'o|ne two', 'one two|'],
    ['ctrl-home', 'a\nb|c', '|a\nbc'],
    ['ctrl-end', 'a|\nbc', 'a\nbc|'],
    ['left', 'a👩‍👩‍👧|b', 'a|👩‍👩‍👧b'],
    ['right', 'a|e\u0301b', 'ae\u0301|b'],
    ['right', 'a|\nb', 'a\n|b'],
    ['ctrl-b', 'ab|', 'a|b'],
    ['ctrl-f', '|ab', 'a|b'],
    ['alt-b', 'one two-three| ', 'one two-|three '],
    ['ctrl-left', 'one  |two', '|one  two'],
    ['alt-f', 'one| two three', 'one two| three'],
    ['ctrl-right', 'on|e, two', 'one|, two'],
    ['alt-right', 'größe| x', 'größe x|'],
    ['alt-b', '日本 한글|', '日本 |한글'],
  ])('%s in %j', (name, before, after) => {
    expect(marked(press(at(empty, before), [name]))).toBe(after);
  });
});

describe('deleting', () => {
  test.each([
    ['backspace', 'a👩‍👩‍👧|b', 'a|b'],
    ['backspace', 'a\n|b', 'a|b'],
    ['backspace', 'ae\u0301|', 'a|'],
    ['delete', 'a|🇩🇪b', 'a|b'],
    ['ctrl-d', '|ab', '|b'],
    ['ctrl-k', 'a|bc\nd', 'a|\nd'],
    ['ctrl-k', 'a|\nd', 'a|d'],
    ['ctrl-u', 'x\nab|c', 'x\n|c'],
    ['ctrl-u', 'x\n|c', 'x|c'],
    ['ctrl-w', 'a /b/c-d |e', 'a |e'],
    ['alt-backspace', 'a /b/c-d|', 'a /b/c-|'],
    ['alt-d', 'a| bc d', 'a| d'],
  ])('%s in %j', (name, before, after) => {
    expect(marked(press(at(empty, before), [name]))).toBe(after);
  });
});

describe('cutting and putting back', () => {
  test('cuts that follow each other become one', () => {
    expect(press(at(empty, 'one two three|'), ['ctrl-w', 'ctrl-w', 'ctrl-y']).text).toBe('one two three');
    expect(press(at(empty, '|one two'), ['alt-d', 'alt-d', 'ctrl-e', 'ctrl-y']).text).toBe('one two');
  });

  test('a key between them keeps them apart', () => {
    const editor = press(at(empty, 'one two|'), ['ctrl-w', 'ctrl-e', 'ctrl-w', 'ctrl-y']);
    expect(editor.text).toBe('one ');
  });

  test('alt-y puts back what was cut before', () => {
    const editor = press(at(empty, 'one two|'), ['ctrl-w', 'left', 'right', 'ctrl-u', 'ctrl-y', 'alt-y']);
    expect(editor.text).toBe('two');
  });
});

describe('undoing', () => {
  test('takes back words, not letters', () => {
    const editor = press(empty, ['o', 'n', 'e', ' ', 't', 'w', 'o']);
    expect(press(editor, ['ctrl-_']).text).toBe('one');
    expect(press(editor, ['ctrl-_', 'ctrl-_']).text).toBe('');
  });

  test('can itself be undone, until something is written', () => {
    const editor = press(at(empty, 'one two|'), ['ctrl-w', 'ctrl-w', 'ctrl-_', 'ctrl-_']);
    expect(editor.text).toBe('one two');
    expect(press(editor, ['alt-_']).text).toBe('one ');
    expect(press(editor, ['x', 'alt-_']).text).toBe('one twox');
  });

  test('nothing to undo does nothing', () => {
    expect(press(empty, ['ctrl-_', 'alt-_'])).toEqual(empty);
  });
});

describe('enter', () => {
  test('sends', () => expect(effectOf(at(empty, 'a|'), 'return')).toBe('submit'));

  test.each(['alt-return', 'shift-return', 'ctrl-return', 'ctrl-j'])('%s begins a line', (name) => {
    expect(marked(press(at(empty, 'a|b'), [name]))).toBe('a\n|b');
  });

  test('after a backslash begins a line in its place', () => {
    expect(marked(press(at(empty, 'a\\|'), ['return']))).toBe('a\n|');
  });

  test('in a burst of characters is text, so that a paste never sends', () => {
    const { editor, effect } = applyKey(empty, typed('rm -rf /\rls\r\n'), context);
    expect({ text: editor.text, effect }).toEqual({ text: 'rm -rf /\nls\n', effect: 'none' });
  });
});

test.each([
  'escape',
  'tab',
  'shift-tab',
  'ctrl-c',
  'ctrl-l',
  'ctrl-t',
  'ctrl-z',
  'pageup',
  'pagedown',
  'up',
  'down',
  'ctrl-d',
  '',
])('%s is not for an empty editor', (name) => {
  expect(applyKey(empty, key(name), context)).toEqual({ editor: empty, effect: 'ignored' });
});

test('ctrl-v asks for an image', () => expect(effectOf(empty, 'ctrl-v')).toBe('image'));

test('what stands for attachments cannot be typed, nor half a character', () => {
  expect(applyKey(empty, typed('a\u{10f000}b'), context).editor.text).toBe('a\ufffdb');
  expect(applyKey(empty, typed('a\ud800'), context).editor.text).toBe('a\ufffd');
});

test('any keys in any order keep the cursor between characters, and undo leads back', () => {
  const random = randomFrom(71);
  const names = [
    'left',
    'right',
    'up',
    'down',
    'home',
    'end',
    'backspace',
    'delete',
    'ctrl-k',
    'ctrl-u',
    'ctrl-w',
    'ctrl-y',
    'alt-y',
    'alt-b',
    'alt-f',
    'alt-d',
    'alt-return',
    'ctrl-_',
    'alt-_',
    'ctrl-p',
    'ctrl-n',
  ];
  const within = { width: 10, history: sent('one', 'two\nlines') };
  for (let round = 0; round < 60; round++) {
    let editor = emptyEditor();
    for (let step = 0; step < 60; step++) {
      const pressed = random(2) === 0 ? typed(randomText(random, 2)) : key(names[random(names.length)] ?? '');
      editor = applyKey(editor, pressed, within).editor;
      expect(editor.cursor).toBeGreaterThanOrEqual(0);
      expect(editor.cursor).toBeLessThanOrEqual(editor.text.length);
      expect(editor.text.slice(0, editor.cursor).isWellFormed()).toBe(true);
    }
  }
});
