import { describe, expect, test } from 'bun:test';
import {
  addImage,
  applyKey,
  createEditor,
  displayText,
  emptyEditor,
  expandEditor,
  expandText,
  inputMode,
  pasteText,
  recordPrompt,
  restorePrompt,
} from '../../../src/tui/editor/index.ts';
import { at, effectOf, key, marked, press, sent, typed } from './support.ts';

const empty = emptyEditor();
const within = { width: 10, history: sent('first', 'second\nlines', 'third') };

describe('up and down', () => {
  test('move by rows as they are on the screen', () => {
    const editor = at(empty, 'aaaa bbbb cccc dd|dd');
    expect(marked(press(editor, ['up'], within))).toBe('aaaa bb|bb cccc dddd');
  });

  test('keep the column over a shorter row', () => {
    const editor = at(empty, 'abcdef\nx\nabcd|ef');
    expect(marked(press(editor, ['up', 'up'], within))).toBe('abcd|ef\nx\nabcdef');
  });

  test('keep it in cells where characters are wide', () => {
    expect(marked(press(at(empty, '日本語\nabcd|'), ['up'], within))).toBe('日本|語\nabcd');
  });

  test('lead through the history at the first and the last row', () => {
    const editor = at(empty, 'draf|t');
    expect(press(editor, ['up'], within).text).toBe('third');
    expect(press(editor, ['up', 'up'], within).text).toBe('second\nlines');
    expect(press(editor, ['up', 'up', 'up', 'up'], within).text).toBe('first');
    expect(press(editor, ['up', 'up', 'down'], within).text).toBe('third');
  });

  test('bring back what was being written', () => {
    expect(
      marked(press(at(empty, 'draf|t'), ['up', 'up', 'up', 'down', 'down', 'down', 'down'], within)),
    ).toBe('draf|t');
  });

  test('are left to others where nothing is further', () => {
    expect(effectOf(press(empty, ['up', 'up', 'up', 'up'], within), 'up', within)).toBe('ignored');
    expect(effectOf(at(empty, 'a|'), 'down', within)).toBe('ignored');
  });

  test('an entry that is changed can be left and the draft is still there', () => {
    const editor = press(press(at(empty, 'draft|'), ['up'], within), ['x'], within);
    expect(editor.text).toBe('thirdx');
    expect(press(editor, ['down'], within).text).toBe('draft');
  });
});

test('ctrl-p and ctrl-n go through the history from any row', () => {
  const editor = at(empty, 'a\nb|');
  expect(press(editor, ['ctrl-p'], within).text).toBe('third');
  expect(press(editor, ['ctrl-p', 'ctrl-n'], within).text).toBe('a\nb');
});

describe('searching backwards', () => {
  const search = (query: string) =>
    applyKey(press(at(empty, 'draft|'), ['ctrl-r'], within), typed(query), within).editor;

  test('finds the newest, and older ones with the same key', () => {
    expect(search('ir').text).toBe('third');
    expect(press(search('ir'), ['ctrl-r'], within).text).toBe('first');
    expect(press(search('ir'), ['ctrl-r', 'ctrl-s'], within).text).toBe('third');
  });

  test('says when there is none', () => {
    expect(search('zzz').search?.found).toBe(false);
    expect(press(search('ir'), ['ctrl-r', 'ctrl-r'], within).search?.found).toBe(false);
  });

  test('there is none where nothing was typed before', () => {
    expect(press(at(empty, 'draft|'), ['ctrl-r']).search).toBeUndefined();
  });

  test('does not mind capitals', () => expect(search('SECOND').text).toBe('second\nlines'));

  test('a shorter query starts again from the newest', () => {
    expect(press(search('firx'), ['backspace'], within).text).toBe('first');
  });

  test.each(['escape', 'ctrl-g', 'ctrl-c'])('%s brings back what was being written', (name) => {
    expect(marked(press(search('ir'), [name], within))).toBe('draft|');
  });

  test('enter takes what was found and does not send it', () => {
    const { editor, effect } = applyKey(search('ir'), key('return'), within);
    expect({ text: editor.text, effect, search: editor.search }).toEqual({
      text: 'third',
      effect: 'none',
      search: undefined,
    });
  });

  test('another key takes what was found and does its work', () => {
    expect(marked(press(search('ir'), ['ctrl-e'], within))).toBe('third|');
  });
});

describe('an earlier prompt with pasted text', () => {
  const remarks = `!${'a remark\n'.repeat(12)}`;
  const earlier = recordPrompt(pasteText(createEditor('see '), remarks));
  const after = { width: 40, history: [...sent('first'), earlier] };

  test('is stored as it was sent, with the places of what was pasted', () => {
    expect(earlier).toMatchObject({ text: `see ${remarks}`, pasted: [[4, 4 + remarks.length]] });
    expect(recordPrompt(createEditor('typed'))).toMatchObject({ text: 'typed', pasted: [] });
  });

  test('comes back by its name, and is sent whole', () => {
    const editor = press(at(empty, 'draft|'), ['up'], after);
    expect(displayText(editor)).toBe('see [Pasted text #1 +12 lines]');
    expect(expandEditor(editor).content).toBe(`see ${remarks}`);
    expect(press(editor, ['down'], after).text).toBe('draft');
  });

  test('also from what was stored', () => {
    const stored = [restorePrompt({ text: earlier.text, pasted: earlier.pasted })];
    const editor = press(empty, ['up'], { width: 40, history: stored });
    expect(displayText(editor)).toBe('see [Pasted text #1 +12 lines]');
    expect(expandText(editor)).toBe(`see ${remarks}`);
  });

  test('keeps its name however often it is passed', () => {
    const editor = press(empty, ['up', 'up', 'down', 'up', 'down'], after);
    expect(displayText(editor)).toBe('see [Pasted text #1 +12 lines]');
  });

  test('is found by what was pasted', () => {
    const { editor } = applyKey(press(empty, ['ctrl-r'], after), typed('a remark'), after);
    expect(displayText(editor)).toBe('see [Pasted text #1 +12 lines]');
  });

  test('does not become a command because of what was pasted', () => {
    const history = [recordPrompt(pasteText(empty, remarks))];
    expect(inputMode(press(empty, ['up'], { width: 40, history }))).toBe('prompt');
  });

  test('stands beside what was pasted into the draft', () => {
    const draft = pasteText(empty, `other\n${remarks}`);
    const editor = press(draft, ['up'], after);
    expect(expandText(editor)).toBe(`see ${remarks}`);
    expect(expandText(press(editor, ['down'], after))).toBe(`other\n${remarks}`);
  });

  test('brings its images back, and only their names where they were not stored', () => {
    const prompt = recordPrompt(addImage(createEditor('look '), { mediaType: 'image/png', data: 'AAAA' }));
    expect(prompt.text).toBe('look [Image #1]');
    const editor = press(empty, ['up'], { width: 40, history: [prompt] });
    expect(expandEditor(editor).content).toHaveLength(2);
    const stored = press(empty, ['up'], { width: 40, history: [restorePrompt({ text: prompt.text })] });
    expect(expandEditor(stored).content).toBe('look [Image #1]');
  });
});

test('stored text cannot pass for an attachment', () => {
  expect(restorePrompt({ text: 'a\u{10f000}' }).pieces).toEqual(['a\ufffd']);
});
