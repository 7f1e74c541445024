import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { notebookEditTool } from '../../src/tools/files/notebook-edit.ts';
import { readTool } from '../../src/tools/files/read.ts';
import { call, type TestContext, toolContextForTests } from './support.ts';

const cells = [
  { cell_type: 'markdown', id: 'intro', metadata: {}, source: ['# Title\n', 'text'] },
  {
    cell_type: 'code',
    execution_count: 7,
    id: 'calc',
    metadata: { tags: ['x'] },
    outputs: [{ output_type: 'stream', name: 'stdout', text: ['3\n'] }],
    source: ['1 + 2'],
  },
];
const notebook = { cells, metadata: { kernelspec: { name: 'python3' } }, nbformat: 4, nbformat_minor: 5 };
const stored = `${JSON.stringify(notebook, null, 1)}\n`;

async function prepare(text = stored): Promise<{ context: TestContext; path: string }> {
  const context = toolContextForTests();
  const path = context.write('a.ipynb', text);
  await call(readTool, { file_path: path }, context);
  return { context, path };
}

async function edit(input: object, text = stored) {
  const { context, path } = await prepare(text);
  const result = await call(notebookEditTool, { notebook_path: path, ...input }, context);
  const after = readFileSync(path, 'utf8');
  return { ...result, after, parsed: JSON.parse(after) as typeof notebook, context, path };
}

describe('changes', () => {
  test('Read shows the numbers and ids that cells are named by', async () => {
    const { context, path } = await prepare();
    const { text } = await call(readTool, { file_path: path }, context);
    expect(text).toContain('--- cell 1 (markdown, id intro) ---');
    expect(text).toContain('--- cell 2 (code, id calc) ---');
  });

  test('a replaced code cell loses its outputs and nothing else', async () => {
    const { text, after, path } = await edit({ cell_id: 'calc', new_source: 'a = 1\nb = 2' });
    const expected = structuredClone(notebook);
    Object.assign(expected.cells[1] ?? {}, {
      execution_count: null,
      outputs: [],
      source: ['a = 1\n', 'b = 2'],
    });
    expect(after).toBe(`${JSON.stringify(expected, null, 1)}\n`);
    expect(text).toBe(`Replaced cell 2 (calc) of ${path}.`);
  });

  test('a cell can be named by its number', async () => {
    expect((await edit({ cell_number: 1, new_source: '' })).parsed.cells[0]?.source).toEqual([]);
  });

  test('a cell can become one of another type', async () => {
    const { parsed } = await edit({ cell_number: 2, new_source: 'x', cell_type: 'markdown' });
    expect(parsed.cells[1]).toEqual({
      cell_type: 'markdown',
      id: 'calc',
      metadata: { tags: ['x'] },
      source: ['x'],
    } as never);
  });

  test('a new cell comes behind the named one, with an id of its own', async () => {
    const { parsed } = await edit({
      cell_id: 'intro',
      edit_mode: 'insert',
      cell_type: 'code',
      new_source: 'x',
    });
    expect(parsed.cells.map((cell) => cell.source)).toEqual([['# Title\n', 'text'], ['x'], ['1 + 2']]);
    expect(parsed.cells[1]?.id).toMatch(/^[0-9a-f]{8}$/);
    expect(parsed.cells[1]).toMatchObject({ execution_count: null, outputs: [], metadata: {} });
  });

  test('without a name it comes first; an old notebook gets no ids', async () => {
    const old = JSON.stringify({ ...notebook, nbformat_minor: 4 });
    const { parsed } = await edit({ edit_mode: 'insert', cell_type: 'markdown', new_source: 'x' }, old);
    expect(parsed.cells[0]).toEqual({ cell_type: 'markdown', metadata: {}, source: ['x'] } as never);
  });

  test('a cell is deleted', async () => {
    const { parsed, text } = await edit({ cell_number: 1, edit_mode: 'delete' });
    expect(parsed.cells.map((cell) => cell.id)).toEqual(['calc']);
    expect(text).toStartWith('Deleted cell 1 (intro)');
  });

  test('what was there is kept, and the file is known as it is now', async () => {
    const { context, path } = await edit({ cell_number: 1, new_source: 'x' });
    expect(context.kept).toEqual([{ path, before: stored, toolUseId: 'toolu_test' }]);
    const again = await call(
      notebookEditTool,
      { notebook_path: path, cell_number: 1, new_source: 'y' },
      context,
    );
    expect(again.isError).toBe(false);
  });
});

describe('the form of the file stays', () => {
  const forms: [string, string][] = [
    ['four blanks', JSON.stringify(notebook, null, 4)],
    ['tabs and a line end', `${JSON.stringify(notebook, null, '\t')}\n`],
    ['one line', JSON.stringify(notebook)],
    ['Windows line ends', `${JSON.stringify(notebook, null, 1)}\n`.replaceAll('\n', '\r\n')],
    [
      'numbers that JSON would write differently',
      stored.replace('"python3"', '"python3",\n   "a": 1.0,\n   "b": 12345678901234567890'),
    ],
    [
      'a source that is one text',
      JSON.stringify({ ...notebook, cells: [{ ...cells[0], source: '# Title\ntext' }] }, null, 1),
    ],
  ];
  for (const [name, text] of forms)
    test(name, async () => {
      const { after } = await edit({ cell_number: 1, new_source: '# Title\ntext' }, text);
      expect(after).toBe(text);
    });
});

describe('refusals', () => {
  const cases: [name: string, input: object, expected: string, text?: string][] = [
    ['no such number', { cell_number: 3, new_source: 'x' }, 'there is no cell 3; it has 2 cells'],
    ['no such id', { cell_id: 'nobody', new_source: 'x' }, 'there is no cell with the id "nobody"'],
    ['two names that differ', { cell_id: 'intro', cell_number: 2, new_source: 'x' }, 'Use one of them'],
    ['no name', { new_source: 'x' }, 'say which cell'],
    ['no source', { cell_number: 1 }, 'new_source is missing'],
    ['no type', { edit_mode: 'insert', new_source: 'x' }, 'cell_type is missing'],
    ['no notebook', { cell_number: 1, new_source: 'x' }, 'is not a readable notebook', '{"cells": 5}'],
    ['no JSON', { cell_number: 1, new_source: 'x' }, 'is not a readable notebook', '{'],
  ];
  for (const [name, input, expected, text = stored] of cases)
    test(`${name}: nothing is written`, async () => {
      const { context, path } = await prepare(text);
      const refused = await call(notebookEditTool, { notebook_path: path, ...input }, context);
      expect(refused.isError).toBe(true);
      expect(refused.text).toContain(expected);
      expect(readFileSync(path, 'utf8')).toBe(text);
    });

  test('a notebook that was not read, or has changed since', async () => {
    const context = toolContextForTests();
    const path = context.write('a.ipynb', stored);
    const input = { notebook_path: path, cell_number: 1, new_source: 'x' };
    expect((await call(notebookEditTool, input, context)).text).toContain('has not been read yet');
    await call(readTool, { file_path: path }, context);
    writeFileSync(path, stored.replace('# Title', '# Other'));
    expect((await call(notebookEditTool, input, context)).text).toContain('has changed since it was read');
  });

  test('another kind of file', async () => {
    const context = toolContextForTests();
    const path = context.write('a.json', stored);
    await call(readTool, { file_path: path }, context);
    const { text } = await call(
      notebookEditTool,
      { notebook_path: path, cell_number: 1, new_source: 'x' },
      context,
    );
    expect(text).toContain('is not a notebook (.ipynb)');
  });
});
