import { describe, expect, test } from 'bun:test';
import {
  addImage,
  displayText,
  emptyEditor,
  expandEditor,
  expandText,
  inputMode,
  layoutEditor,
  pasteText,
  reopenPrompt,
  withEdited,
} from '../../../src/tui/editor/index.ts';
import { at, press } from './support.ts';

const empty = emptyEditor();
const image = { mediaType: 'image/png', data: 'iVBORw0KGgo=' };
const long = Array.from({ length: 120 }, (_, index) => `line ${index}`).join('\n');

describe('pasted text', () => {
  test('of a few lines is text', () => {
    expect(pasteText(at(empty, 'a|b'), 'x\r\ny').text).toBe('ax\nyb');
  });

  test('of many lines is one character with a name', () => {
    const editor = pasteText(at(empty, 'see |!'), long);
    expect(displayText(editor)).toBe('see [Pasted text #1 +120 lines]!');
    expect(displayText(press(editor, ['backspace']))).toBe('see !');
  });

  test('of one long line has its length in its name', () => {
    expect(displayText(pasteText(empty, 'x'.repeat(3000)))).toBe('[Pasted text #1 3000 characters]');
  });

  test('is counted in lines as they are read: a last line break does not begin another', () => {
    expect(displayText(pasteText(empty, `${long}\n`))).toBe('[Pasted text #1 +120 lines]');
    expect(displayText(pasteText(empty, `${'x'.repeat(3000)}\n`))).toBe('[Pasted text #1 3001 characters]');
    expect(displayText(pasteText(empty, 'line\n'.repeat(10)))).toBe('line\n'.repeat(10));
    expect(displayText(pasteText(empty, 'line\n'.repeat(11)))).toBe('[Pasted text #1 +11 lines]');
  });

  test('is filled in wherever text is taken, images by their names', () => {
    const editor = addImage(pasteText(at(empty, 'a |'), long), image);
    expect(expandText(editor)).toBe(`a ${long}[Image #1]`);
  });

  test('is sent whole, in its place', () => {
    const editor = press(pasteText(pasteText(at(empty, 'a |'), long), `${long}2`), [' ', 'b']);
    expect(expandEditor(editor).content).toBe(`a ${long}${long}2 b`);
  });

  test('comes back when its deletion is undone', () => {
    const editor = press(pasteText(empty, long), ['backspace', 'ctrl-_']);
    expect(expandEditor(editor).content).toBe(long);
  });

  test('cannot name attachments of its own', () => {
    const editor = pasteText(addImage(empty, image), '\u{10f000}');
    expect(displayText(editor)).toBe('[Image #1]\ufffd');
  });
});

describe('what an editor returns', () => {
  const editor = press(pasteText(addImage(at(empty, 'see |'), image), `${long}\n`), ['o', 'k']);

  test('keeps the names of what was not changed', () => {
    const edited = withEdited(editor, `First ${expandText(editor)}\n`);
    expect(displayText(edited)).toBe('First see [Image #1][Pasted text #1 +120 lines]ok');
  });

  test('is text where it was changed', () => {
    const edited = withEdited(editor, expandText(editor).replace('line 7\n', ''));
    expect(expandText(edited)).toBe(`see [Image #1]${long.replace('line 7\n', '')}\nok`);
    expect(displayText(edited)).not.toContain('Pasted');
  });

  test('keeps the last line break of what was pasted at the end', () => {
    const last = pasteText(empty, `${long}\n`);
    expect(displayText(withEdited(last, expandText(last)))).toBe('[Pasted text #1 +120 lines]');
  });

  test('can repeat what was pasted', () => {
    const twice = withEdited(editor, `${long}\n--\n${long}\n`);
    expect(expandText(twice)).toBe(`${long}\n--\n${long}\n`);
  });
});

describe('images', () => {
  test('stand beside their names', () => {
    const editor = press(addImage(press(addImage(at(empty, 'look |'), image), [' ', '&', ' ']), image), [
      ' ',
      'b',
    ]);
    const block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image.data } };
    expect(expandEditor(editor).content as unknown).toEqual([
      { type: 'text', text: 'look [Image #1]' },
      block,
      { type: 'text', text: ' & [Image #2]' },
      block,
      { type: 'text', text: ' b' },
    ]);
  });

  test('that were deleted are not sent', () => {
    expect(expandEditor(press(addImage(at(empty, 'a|'), image), ['backspace'])).content).toBe('a');
  });

  test('are one step for the cursor', () => {
    const editor = addImage(at(empty, 'a|'), image);
    expect(layoutEditor(editor, 40).cursor).toEqual({ row: 0, column: 11 });
    expect(layoutEditor(press(editor, ['left']), 40).cursor).toEqual({ row: 0, column: 1 });
  });
});

test('what is written around the prompt is not sent', () => {
  expect(expandEditor(at(empty, '\n a b \n|')).content).toBe('a b');
});

test('mentions are those that the person wrote', () => {
  const editor = pasteText(at(empty, 'fix @src/a.ts and |'), `@hidden/b.ts\n${long}`);
  expect(expandEditor(editor).mentions.map((mention) => mention.name)).toEqual(['src/a.ts']);
});

test('a prompt that the agent has read is no shell command when it comes back', () => {
  const editor = reopenPrompt(`!${long}`);
  expect(inputMode(editor)).toBe('prompt');
  expect(expandEditor(editor).content).toBe(`!${long}`);
  expect(inputMode(reopenPrompt('/review this'))).toBe('command');
});
