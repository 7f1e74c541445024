import { describe, expect, test } from 'bun:test';
import {
  addImage,
  createEditor,
  emptyEditor,
  layoutEditor,
  pasteText,
} from '../../../src/tui/editor/index.ts';
import { width } from '../../../src/tui/text/index.ts';
import { isObeyed, randomFrom, randomText } from '../text/support.ts';
import { at } from './support.ts';

const empty = emptyEditor();

function rowsOf(text: string, columns: number): string[] {
  return layoutEditor({ ...createEditor(text), cursor: 0 }, columns).rows.map((row) => row.text);
}

test.each([
  ['nothing', '', 10, ['']],
  ['between words', 'aaaa bbbb cc', 10, ['aaaa bbbb ', 'cc']],
  ['a word that fits no row', 'aaaaaaaa', 5, ['aaaaa', 'aaa']],
  ['lines', 'a\n\nb', 10, ['a', '', 'b']],
  ['wide characters', '日本語日', 5, ['日本', '語日']],
  ['controls, shown', 'a\x1bb', 10, ['a␛b']],
  ['tabs', 'a\tb', 10, ['a    b']],
])('%s', (_, text, columns, rows) => {
  expect(rowsOf(text, columns)).toEqual(rows);
});

describe('the cursor', () => {
  test.each([
    ['in an empty prompt', '|', { row: 0, column: 0 }],
    ['after wide characters', '日本|', { row: 0, column: 4 }],
    ['at the start of a wrapped row', 'aaaa bbbb |cc', { row: 1, column: 0 }],
    ['after a full row', 'aaaaaaaaaa|', { row: 1, column: 0 }],
    ['after a full row with more lines', 'aaaaaaaaaa|\nb', { row: 1, column: 0 }],
    ['after a newline', 'a\n|', { row: 1, column: 0 }],
    ['before a newline', 'ab|\nc', { row: 0, column: 2 }],
  ])('%s', (_, marked, cursor) => {
    expect(layoutEditor(at(empty, marked), 10).cursor).toEqual(cursor);
  });
});

test('the names of attachments are never wider than the row', () => {
  const editor = addImage(pasteText(empty, 'x\n'.repeat(500)), { mediaType: 'image/png', data: '' });
  for (const row of layoutEditor(editor, 12).rows) expect(width(row.text)).toBeLessThanOrEqual(12);
});

test('rows fit, cover the whole text in order, and hold the cursor, at any width', () => {
  const random = randomFrom(81);
  for (let round = 0; round < 300; round++) {
    const editor = createEditor(randomText(random, random(40), true));
    const columns = 4 + random(40);
    const { rows, cursor } = layoutEditor(editor, columns);
    let end = 0;
    for (const row of rows) {
      expect(width(row.text)).toBeLessThanOrEqual(columns);
      expect(isObeyed(row.text)).toBe(false);
      expect(editor.text.slice(end, row.start).replace('\n', '')).toBe('');
      end = row.end;
    }
    expect(end).toBe(editor.text.length);
    expect(cursor.row).toBeLessThan(rows.length);
    expect(cursor.column).toBeLessThan(columns);
  }
});
