import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { hashBytes } from '../../src/lib/hash.ts';
import { readTool } from '../../src/tools/files/read.ts';
import { call, toolContextForTests } from './support.ts';

test('lines are numbered, and the state of the file is remembered', async () => {
  const context = toolContextForTests();
  const path = context.write('a.txt', 'one\r\ntwo\n\nfour');
  const result = await call(readTool, { file_path: 'a.txt' }, context);
  expect(result).toMatchObject({ text: '1→one\n2→two\n3→\n4→four', isError: false });
  expect(context.files.get(path)).toEqual({
    hash: hashBytes('one\r\ntwo\n\nfour'),
    text: 'one\r\ntwo\n\nfour',
  });
});

test('a range says where it stands and how to go on', async () => {
  const context = toolContextForTests();
  context.write('a.txt', '1\n2\n3\n4\n5\n');
  const middle = await call(readTool, { file_path: 'a.txt', offset: 2, limit: 2 }, context);
  expect(middle.text).toBe('2→2\n3→3\n[Lines 2-3 of 5. Continue with offset 4.]');
  const rest = await call(readTool, { file_path: 'a.txt', offset: 5 }, context);
  expect(rest.text).toBe('5→5\n[Lines 5-5 of 5.]');
  const beyond = await call(readTool, { file_path: 'a.txt', offset: 9 }, context);
  expect(beyond).toMatchObject({ isError: true });
  expect(beyond.text).toContain('has 5 lines');
});

test('long files and long lines are cut', async () => {
  const context = toolContextForTests();
  context.write('long.txt', 'x\n'.repeat(2500));
  expect((await call(readTool, { file_path: 'long.txt' }, context)).text).toEndWith(
    '[Lines 1-2000 of 2500. Continue with offset 2001.]',
  );
  context.write('wide.txt', 'y'.repeat(1_000_000));
  expect((await call(readTool, { file_path: 'wide.txt' }, context)).text.length).toBeLessThan(2100);
  context.write('both.txt', `${'z'.repeat(1999)}\n`.repeat(2000));
  const both = await call(readTool, { file_path: 'both.txt' }, context);
  expect(both.text.length).toBeLessThan(101_000);
  expect(both.text).toContain('Continue with offset 50');
});

test('a large file is read as a stream, and its hash is that of the whole', async () => {
  const context = toolContextForTests();
  const text = Array.from({ length: 400_000 }, (_, index) => `line number ${index + 1} of a large file`).join(
    '\n',
  );
  const path = context.write('large.txt', text);
  const result = await call(readTool, { file_path: 'large.txt', offset: 300_000, limit: 2 }, context);
  expect(result.text).toBe(
    '300000→line number 300000 of a large file\n300001→line number 300001 of a large file\n[Lines 300000-300001 of 400000. Continue with offset 300002.]',
  );
  expect(context.files.get(path)).toEqual({ hash: hashBytes(text) });
});

test('of a huge file only as much is read as needed', async () => {
  const context = toolContextForTests();
  const path = context.write('huge.txt', `first\n${' '.repeat(10_000)}\n`);
  const file = openSync(path, 'r+');
  ftruncateSync(file, 600 * 1024 * 1024);
  closeSync(file);
  const result = await call(readTool, { file_path: 'huge.txt', limit: 1 }, context);
  expect(result.text).toBe('1→first\n[Lines 1-1 of more. Continue with offset 2.]');
  expect(context.files.get(path)).toBeUndefined();
}, 20_000);

test('an empty file is said to be empty', async () => {
  const context = toolContextForTests();
  context.write('empty', '');
  expect(await call(readTool, { file_path: 'empty' }, context)).toMatchObject({
    text: `${context.root}/empty is empty.`,
    isError: false,
  });
});

test('an image is shown as one, whatever its name', async () => {
  const context = toolContextForTests();
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  context.write('picture.txt', png);
  const result = await call(readTool, { file_path: 'picture.txt' }, context);
  expect(result.content).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') } },
  ]);
});

test('an image that is too large is refused with the next step', async () => {
  const context = toolContextForTests();
  context.write('big.jpg', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(4_000_000)]));
  const result = await call(readTool, { file_path: 'big.jpg' }, context);
  expect(result).toMatchObject({ isError: true });
  expect(result.text).toContain('make a smaller copy');
});

test('a notebook is shown as cells with their outputs', async () => {
  const context = toolContextForTests();
  const cells = [
    { cell_type: 'markdown', source: ['# Title'] },
    {
      cell_type: 'code',
      source: 'print(1)',
      outputs: [
        { output_type: 'stream', text: ['1\n'] },
        { output_type: 'display_data', data: { 'text/plain': 'fig', 'image/png': 'AAAA' } },
        { output_type: 'error', ename: 'ValueError', evalue: 'no' },
        { output_type: 'stream', text: 'x'.repeat(100_000) },
      ],
    },
  ];
  context.write('n.ipynb', JSON.stringify({ cells }));
  const { text } = await call(readTool, { file_path: 'n.ipynb' }, context);
  for (const part of ['# Title', 'print(1)', '→1', 'fig', '[image/png]', 'ValueError: no'])
    expect(text).toContain(part);
  expect(text.length).toBeLessThan(4000);
});

test('binary data is refused with its type, size and what to do', async () => {
  const context = toolContextForTests();
  context.write('a.bin', Buffer.from([1, 0, 2, 0]));
  const result = await call(readTool, { file_path: 'a.bin' }, context);
  expect(result.isError).toBe(true);
  expect(result.text).toBe(
    `${context.root}/a.bin is binary data, 4 bytes. It is not shown as text: look at it with a program in Bash (file, strings, xxd | head).`,
  );
});

test('a missing file names those that are close', async () => {
  const context = toolContextForTests();
  context.write('src/settings.ts', '');
  const result = await call(readTool, { file_path: 'src/setting.ts' }, context);
  expect(result.isError).toBe(true);
  expect(result.text).toBe(
    `File not found: ${context.root}/src/setting.ts. Similar names: ${context.root}/src/settings.ts.`,
  );
});

test('a directory, a device and a named pipe are refused without waiting', async () => {
  const context = toolContextForTests();
  execFileSync('mkfifo', [join(context.root, 'pipe')]);
  expect((await call(readTool, { file_path: '.' }, context)).text).toContain('is a directory');
  expect((await call(readTool, { file_path: '/dev/zero' }, context)).text).toContain('a device');
  expect((await call(readTool, { file_path: 'pipe' }, context)).text).toContain('a named pipe');
});

test('a file is known by where its path really leads', async () => {
  const context = toolContextForTests();
  const path = context.write('real.txt', 'x');
  symlinkSync('real.txt', join(context.root, 'link.txt'));
  await call(readTool, { file_path: 'link.txt' }, context);
  expect(context.files.get(path)).toBeDefined();
});

test('a path with ~ or NUL, and a field that is not known, are refused', () => {
  for (const input of [
    { file_path: '~/x' },
    { file_path: 'a\0b' },
    { file_path: 'a', extra: 1 },
    { file_path: 'a', offset: 0 },
  ]) {
    expect(readTool.schema.safeParse(input).success).toBe(false);
  }
});
