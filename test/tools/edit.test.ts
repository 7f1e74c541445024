import { expect, test } from 'bun:test';
import { chmodSync, linkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { editTool } from '../../src/tools/files/edit.ts';
import { readTool } from '../../src/tools/files/read.ts';
import { call, toolContextForTests } from './support.ts';

async function edited(
  content: string | Uint8Array,
  edit: { old_string: string; new_string: string; replace_all?: boolean },
) {
  const context = toolContextForTests();
  const path = context.write('a.txt', content);
  chmodSync(path, 0o640);
  await call(readTool, { file_path: 'a.txt' }, context);
  const result = await call(editTool, { file_path: 'a.txt', ...edit }, context);
  return { ...result, context, path, after: context.content('a.txt') };
}

test('one place is replaced, and the change is shown', async () => {
  const { text, after, isError, data, path, context } = await edited('a\nb\nc\nd\ne\nf\ng\nh\n', {
    old_string: 'd\n',
    new_string: 'D\nD2\n',
  });
  expect(isError).toBe(false);
  expect(after).toBe('a\nb\nc\nD\nD2\ne\nf\ng\nh\n');
  expect(text).toBe(`Edited ${path}.\n@@ -1,7 +1,8 @@\n a\n b\n c\n-d\n+D\n+D2\n e\n f\n g`);
  expect(data).toMatchObject({
    filePath: path,
    replacements: 1,
    structuredPatch: [{ oldStart: 1, newLines: 8 }],
  });
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(context.kept).toEqual([{ path, before: 'a\nb\nc\nd\ne\nf\ng\nh\n', toolUseId: 'toolu_test' }]);
});

test('after an edit the next needs no reading', async () => {
  const { context } = await edited('one two', { old_string: 'one', new_string: '1' });
  const next = await call(editTool, { file_path: 'a.txt', old_string: 'two', new_string: '2' }, context);
  expect(next.isError).toBe(false);
  expect(context.content('a.txt')).toBe('1 2');
});

test('a dollar sign means itself', async () => {
  expect((await edited('price', { old_string: 'price', new_string: "$& $1 $' $$" })).after).toBe(
    "$& $1 $' $$",
  );
});

test.each([
  ['a whole line', 'a\nb\nc\n', 'b', 'a\nc\n'],
  ['its first line', 'a\nb\n', 'a', 'b\n'],
  ['several lines', 'a\nb\nc\nd\n', 'b\nc', 'a\nd\n'],
  ['a line without its indentation', 'if (x) {\n  b();\n  c();\n}\n', 'b();', 'if (x) {\n  c();\n}\n'],
  ['a line that ends in CRLF', 'a\r\nb\r\nc\r\n', 'b', 'a\r\nc\r\n'],
  ['the last line', 'a\nb\n', 'b', 'a\n'],
  ['a last line without an end', 'a\nb', 'b', 'a\n'],
  ['a line with its end', 'a\nb\n\nc\n', 'b\n', 'a\n\nc\n'],
  ['a line with the break before it', 'a\n\nb\nc\n', '\nb', 'a\n\nc\n'],
  ['the end of a line', 'a b\nc\n', ' b', 'a\nc\n'],
  ['the middle of a line', 'a b c\n', ' b', 'a c\n'],
])('deleting %s leaves no empty line and joins none', async (_, before, old_string, after) => {
  expect((await edited(before, { old_string, new_string: '' })).after).toBe(after);
});

test('deleting every occurrence removes the lines that had nothing else', async () => {
  const edit = { old_string: 'x', new_string: '', replace_all: true };
  expect((await edited('x\na x\nx\nb\n', edit)).after).toBe('a \nb\n');
});

test('several matches are refused with their lines, unless all are meant', async () => {
  const several = await edited('x = 1\ny\nx = 1\n', { old_string: 'x = 1', new_string: 'x = 2' });
  expect(several.isError).toBe(true);
  expect(several.text).toContain('occurs 2 times (lines 1, 3)');
  const all = await edited('x = 1\ny\nx = 1\n', {
    old_string: 'x = 1',
    new_string: 'x = 2',
    replace_all: true,
  });
  expect(all.after).toBe('x = 2\ny\nx = 2\n');
  expect(all.text).toContain('(2 replacements)');
});

test('a file that was not read, or changed since, is not edited', async () => {
  const context = toolContextForTests();
  context.write('a.txt', 'one\n');
  const edit = { file_path: 'a.txt', old_string: 'one', new_string: '1' };
  expect((await call(editTool, edit, context)).text).toContain('has not been read yet');
  await call(readTool, { file_path: 'a.txt' }, context);
  context.write('a.txt', 'one\nmore\n');
  const changed = await call(editTool, edit, context);
  expect(changed.text).toContain('+more');
  expect(context.content('a.txt')).toBe('one\nmore\n');
});

test('CRLF stays, though the model sees and writes plain newlines', async () => {
  const { after } = await edited('a\r\nb\r\nc\r\n', { old_string: 'a\nb', new_string: 'A\nB\nB2' });
  expect(after).toBe('A\r\nB\r\nB2\r\nc\r\n');
  expect((await edited('a\r\nb\r\n', { old_string: 'b', new_string: 'x\ny' })).after).toBe('a\r\nx\r\ny\r\n');
});

test('a byte order mark stays', async () => {
  expect((await edited('\ufeffhello', { old_string: 'hello', new_string: 'bye' })).after).toBe('\ufeffbye');
});

test('UTF-16 stays UTF-16', async () => {
  const { path, isError } = await edited(Buffer.from('\ufeffhello', 'utf16le'), {
    old_string: 'hello',
    new_string: 'bye',
  });
  expect(isError).toBe(false);
  expect(Buffer.from(await Bun.file(path).arrayBuffer()).toString('utf16le')).toBe('\ufeffbye');
});

test('bytes that are no text are not harmed', async () => {
  const { text, isError } = await edited(Buffer.from([0x61, 0xe9, 0x62]), {
    old_string: 'a',
    new_string: 'b',
  });
  expect(isError).toBe(true);
  expect(text).toContain('is not valid utf-8 text');
});

test('a difference in white space is explained with the lines as they are', async () => {
  const { text } = await edited('if (x) {\n\treturn  1;\n}\n', {
    old_string: 'if (x) {\n  return 1;\n}',
    new_string: '',
  });
  expect(text).toContain('Whitespace differs; the file has:\n1→if (x) {\n2→\treturn  1;\n3→}');
});

test('a text that is not there names the nearest lines', async () => {
  const { text } = await edited('alpha\nfunction compute(total) {\nomega\n', {
    old_string: 'function compute(sum) {',
    new_string: 'x',
  });
  expect(text).toContain('Nearest:\n2→function compute(total) {');
});

test('an edit made before, and line numbers in the text, are recognised', async () => {
  expect(
    (await edited('const b = 1;', { old_string: 'let a = 2', new_string: 'const b = 1' })).text,
  ).toContain('already in the file');
  expect((await edited('code', { old_string: '1→code', new_string: 'x' })).text).toContain(
    'Leave out the line numbers',
  );
});

test('an empty old_string creates a file, and does not touch one with content', async () => {
  const context = toolContextForTests();
  const created = await call(editTool, { file_path: 'd/new.txt', old_string: '', new_string: 'hi' }, context);
  expect(created.text).toStartWith('Created');
  expect(context.content('d/new.txt')).toBe('hi');
  expect((await edited('content', { old_string: '', new_string: 'x' })).isError).toBe(true);
  expect((await edited('', { old_string: '', new_string: 'x' })).after).toBe('x');
});

test('the same text twice is refused', async () => {
  expect((await edited('a', { old_string: 'a', new_string: 'a' })).isError).toBe(true);
});

test('a file with several names stays one file', async () => {
  const context = toolContextForTests();
  const path = context.write('a.txt', 'one\n');
  linkSync(path, join(context.directory.root, 'b.txt'));
  await call(readTool, { file_path: path }, context);
  await call(editTool, { file_path: path, old_string: 'one', new_string: 'two' }, context);
  expect(context.content('b.txt')).toBe('two\n');
});
