import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Tool } from '../../src/protocol/tool.ts';
import { coreTools, installedRipgrep } from '../../src/tools/index.ts';
import { call, type TestContext, toolContextForTests } from './support.ts';

const tools = coreTools(installedRipgrep(), '/nonexistent');
const tool = (name: string): Tool => {
  const found = tools.find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
};
const grep = (input: object, context: TestContext) => call(tool('Grep'), input, context);
const glob = (input: object, context: TestContext) => call(tool('Glob'), input, context);

function files(context: TestContext, names: readonly string[], content = 'needle\n'): void {
  names.forEach((name, index) => {
    const path = context.write(name, content);
    utimesSync(path, 1_000_000 - index, 1_000_000 - index);
  });
}

test('files with matches come newest first', async () => {
  const context = toolContextForTests();
  files(context, ['b.ts', 'c.ts', 'a.ts']);
  context.write('none.ts', 'nothing');
  expect((await grep({ pattern: 'needle' }, context)).text).toBe('b.ts\nc.ts\na.ts');
});

test('no match is not an error', async () => {
  const context = toolContextForTests();
  expect(await grep({ pattern: 'needle' }, context)).toMatchObject({ text: 'No matches.', isError: false });
});

test('content comes with line numbers and lines around', async () => {
  const context = toolContextForTests();
  context.write('d/a.txt', 'one\nneedle\nthree\nfour\n');
  expect((await grep({ pattern: 'needle', output_mode: 'content' }, context)).text).toBe('d/a.txt:2:needle');
  const around = await grep(
    { pattern: 'NEEDLE', '-i': true, '-C': 1, '-n': false, output_mode: 'content' },
    context,
  );
  expect(around.text).toBe('d/a.txt-one\nd/a.txt:needle\nd/a.txt-three');
});

test('paths are relative to the working directory, not to where was searched', async () => {
  const context = toolContextForTests();
  context.write('d/e/a.txt', 'needle');
  expect((await grep({ pattern: 'needle', path: 'd/e', output_mode: 'content' }, context)).text).toBe(
    'd/e/a.txt:1:needle',
  );
  expect((await grep({ pattern: 'needle', path: 'd/e/a.txt' }, context)).text).toBe('d/e/a.txt');
  context.directory.move('/');
  expect((await grep({ pattern: 'needle', path: join(context.root, 'd') }, context)).text).toContain(
    'd/e/a.txt',
  );
});

test('counts are per file', async () => {
  const context = toolContextForTests();
  context.write('a.txt', 'x\nx\n');
  expect((await grep({ pattern: 'x', output_mode: 'count' }, context)).text).toBe('a.txt:2');
});

test('a pattern that begins with a dash is a pattern', async () => {
  const context = toolContextForTests();
  context.write('a.txt', '--pre=evil\n');
  expect((await grep({ pattern: '--pre=evil', output_mode: 'content' }, context)).text).toBe(
    'a.txt:1:--pre=evil',
  );
});

test('a bad pattern and an unknown type are explained', async () => {
  const context = toolContextForTests();
  const bad = await grep({ pattern: '(' }, context);
  expect(bad.isError).toBe(true);
  expect(bad.text).toContain('unclosed group');
  expect((await grep({ pattern: 'x', type: 'nosuch' }, context)).text).toContain('nosuch');
});

test('ignored files and .git are left out, hidden ones are not', async () => {
  const context = toolContextForTests();
  files(context, ['a.ts', '.hidden/b.ts', '.git/c.ts', 'dist/d.ts', 'skip.ts']);
  context.write('.gitignore', 'dist/\nskip.ts\n');
  const expected = 'a.ts\n.hidden/b.ts';
  expect((await grep({ pattern: 'needle' }, context)).text).toBe(expected);
  expect((await grep({ pattern: 'needle', glob: '*.ts' }, context)).text).toBe(expected);
  expect((await grep({ pattern: 'needle', type: 'ts' }, context)).text).toBe(expected);
  expect((await glob({ pattern: '**/*.ts' }, context)).text).toBe(expected);
});

test('a glob with directories narrows the search', async () => {
  const context = toolContextForTests();
  files(context, ['src/a.ts', 'src/deep/b.tsx', 'test/c.ts']);
  expect((await grep({ pattern: 'needle', glob: 'src/**/*.{ts,tsx}' }, context)).text).toBe(
    'src/a.ts\nsrc/deep/b.tsx',
  );
  expect((await grep({ pattern: 'needle', glob: '!*.tsx' }, context)).text).toBe('src/a.ts\ntest/c.ts');
});

test('a match over lines needs multiline', async () => {
  const context = toolContextForTests();
  context.write('a.txt', 'begin\nend\n');
  expect((await grep({ pattern: 'begin.end', multiline: true }, context)).text).toBe('a.txt');
  expect((await grep({ pattern: 'begin.end' }, context)).text).toBe('No matches.');
});

test('R16 output is bounded, in lines, columns and all, and can be continued', async () => {
  const context = toolContextForTests();
  context.write('many.txt', 'needle\n'.repeat(500_000));
  const cut = await grep({ pattern: 'needle', output_mode: 'content', head_limit: 3, offset: 2 }, context);
  expect(cut.text).toBe(
    'many.txt:3:needle\nmany.txt:4:needle\nmany.txt:5:needle\n[Cut after 3 lines: continue with offset 5, or narrow the search.]',
  );
  context.write('wide.txt', `wide ${'x'.repeat(5_000_000)}\n`);
  const wide = await grep({ pattern: 'wide', output_mode: 'content' }, context);
  expect(wide.text.length).toBeLessThan(600);
});

test('settings of ripgrep from outside have no effect', async () => {
  const context = toolContextForTests();
  context.write('a.txt', 'needle');
  context.write('.ripgreprc', '--files-without-match');
  expect((await grep({ pattern: 'needle' }, context)).text).toBe('a.txt');
});

test('a place that is not there is named', async () => {
  const context = toolContextForTests();
  expect((await grep({ pattern: 'x', path: 'nowhere' }, context)).text).toContain(
    `File not found: ${context.root}/nowhere`,
  );
});

test('a search that is aborted says so', async () => {
  const context = toolContextForTests({ signal: AbortSignal.abort() });
  expect(await grep({ pattern: 'x' }, context)).toMatchObject({ isError: true, text: 'Interrupted.' });
});

test('glob: one star stays within a directory', async () => {
  const context = toolContextForTests();
  files(context, ['a.ts', 'src/b.ts', 'src/c.js', 'src/deep/d.ts']);
  expect((await glob({ pattern: '*' }, context)).text).toBe('a.ts');
  expect((await glob({ pattern: 'src/*.ts' }, context)).text).toBe('src/b.ts');
  expect((await glob({ pattern: 'src/**/*.ts' }, context)).text).toBe('src/b.ts\nsrc/deep/d.ts');
  expect((await glob({ pattern: '**/[ab].{ts,js}' }, context)).text).toBe('a.ts\nsrc/b.ts');
  expect((await glob({ pattern: 'c.js', path: 'src' }, context)).text).toBe('src/c.js');
  expect((await glob({ pattern: '**' }, context)).text.split('\n')).toHaveLength(4);
});

test('glob: an absolute pattern, and one that leads upward, are judged by where they search', async () => {
  const context = toolContextForTests();
  files(context, ['src/b.ts']);
  expect((await glob({ pattern: join(context.root, 'src/*.ts') }, context)).text).toBe('src/b.ts');
  const access = (pattern: string) => tool('Glob').access({ pattern }, '/repo');
  expect(access('/etc/*.conf')).toEqual([{ kind: 'read', path: '/etc' }]);
  expect(access('../other/**')).toEqual([{ kind: 'read', path: '/other' }]);
  expect(access('src/../../x*')).toEqual([{ kind: 'read', path: '/' }]);
});

test('glob: at most 100 are shown, and the rest counted', async () => {
  const context = toolContextForTests();
  files(
    context,
    Array.from({ length: 130 }, (_, index) => `f${index}.txt`),
    '',
  );
  const { text } = await glob({ pattern: '*.txt' }, context);
  expect(text.split('\n')).toHaveLength(101);
  expect(text).toEndWith('[The newest 100 of 130 files: narrow the pattern.]');
});

test('glob: nothing found, a malformed pattern, and a linked directory that is not followed', async () => {
  const context = toolContextForTests();
  mkdirSync(join(context.root, 'd'));
  symlinkSync('/etc', join(context.root, 'd/link'));
  expect(await glob({ pattern: 'd/**/passwd' }, context)).toMatchObject({
    text: 'No files found.',
    isError: false,
  });
  expect((await glob({ pattern: '{a' }, context)).isError).toBe(true);
});

test('neither Grep nor Glob shows a file that may not be read', async () => {
  const context = toolContextForTests({ mayRead: (path) => !path.endsWith('/.env') });
  files(context, ['.env', 'a.txt']);
  for (const output_mode of ['files_with_matches', 'content', 'count']) {
    const { text } = await grep({ pattern: 'needle', output_mode }, context);
    expect(text).toContain('a.txt');
    expect(text).not.toContain('.env');
  }
  expect((await glob({ pattern: '**/*' }, context)).text).toBe('a.txt');
});

test('a file with a new line in its name cannot pass for another one', async () => {
  const context = toolContextForTests({ mayRead: (path) => !path.includes('/secrets/') });
  files(context, ['secrets/a\nb.txt', 'open.txt']);
  for (const output_mode of ['files_with_matches', 'content', 'count']) {
    const { text } = await grep({ pattern: 'needle', output_mode }, context);
    expect(text).toContain('open.txt');
    expect(text).not.toContain('b.txt');
  }
});

test('a path whose links lead nowhere certain is not searched', async () => {
  const context = toolContextForTests();
  context.write('a.txt', 'needle');
  symlinkSync('generated', join(context.root, 'generated'));
  symlinkSync('/proc/self/root/etc', join(context.root, 'own'));
  symlinkSync('/', join(context.root, 'top'));
  const places = ['generated', 'generated/below', 'own', '/proc/self/root/etc', '/proc/self/cwd', 'top'];
  for (const path of places) {
    const unclear = { isError: true, text: expect.stringContaining('unclear where the links in') };
    expect(await grep({ pattern: 'root', path }, context)).toMatchObject(unclear);
    expect(await glob({ pattern: 'passwd', path }, context)).toMatchObject(unclear);
    expect(await glob({ pattern: `${path}/*` }, context)).toMatchObject(unclear);
  }
});
