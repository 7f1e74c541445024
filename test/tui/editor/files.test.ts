import { describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/lib/clock.ts';
import { installedRipgrep, locateRipgrep } from '../../../src/tools/search/ripgrep.ts';
import {
  clipboardPrograms,
  clipboardRunner,
  findImagePath,
  listFiles,
  readClipboardImage,
  readImage,
} from '../../../src/tui/editor/index.ts';
import { git } from '../../../src/workspace/git/git.ts';
import { temporaryDirectory } from '../../support/index.ts';

const env = { PATH: process.env.PATH ?? '', HOME: '/nowhere' };
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

function write(directory: string, ...names: string[]): void {
  for (const name of names) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), name);
  }
}

function lister(cwd: string) {
  return listFiles({ cwd, env, clock: systemClock, ripgrep: locateRipgrep(installedRipgrep(), cwd) });
}

describe('the files that are offered', () => {
  test('are those that git knows of, with their directories', async () => {
    const { path } = temporaryDirectory();
    await git(['init', '-q'], { cwd: path, env });
    write(path, 'a.ts', 'src/b.ts', 'src/deep/c.ts', 'ignored/d.ts', 'bad\nname.ts');
    writeFileSync(join(path, '.gitignore'), 'ignored\n');
    await git(['add', 'a.ts'], { cwd: path, env });
    const { texts } = await lister(path).files();
    expect([...texts].sort()).toEqual([
      '.gitignore',
      'a.ts',
      'src/',
      'src/b.ts',
      'src/deep/',
      'src/deep/c.ts',
    ]);
  });

  test('without git are those that ripgrep lists', async () => {
    const { path } = temporaryDirectory();
    write(path, 'a.ts', 'src/b.ts');
    expect([...(await lister(path).files()).texts].sort()).toEqual(['a.ts', 'src/', 'src/b.ts']);
  });

  test('are listed again when that is asked for', async () => {
    const { path } = temporaryDirectory();
    write(path, 'a.ts');
    const { files } = lister(path);
    await files();
    write(path, 'b.ts');
    expect((await files()).texts).toEqual(['a.ts']);
    expect([...(await files(true)).texts].sort()).toEqual(['a.ts', 'b.ts']);
    expect((await files()).texts).toHaveLength(2);
  });

  test('are none where nothing can be listed', async () => {
    const { path } = temporaryDirectory();
    const files = listFiles({
      cwd: path,
      env,
      clock: systemClock,
      ripgrep: locateRipgrep({ kind: 'missing' }, path),
    });
    expect((await files.files()).texts).toEqual([]);
  });
});

test.each([
  ['a path', '/tmp/a.png', '/tmp/a.png'],
  ['in quotes', "'/tmp/a b.jpg'", '/tmp/a b.jpg'],
  ['with blanks escaped', '/tmp/a\\ b.JPEG \n', '/tmp/a b.JPEG'],
  ['an address', 'file:///tmp/a%20b.webp', '/tmp/a b.webp'],
  ['at home', '~/a.gif', '/home/me/a.gif'],
  ['another file', '/tmp/a.txt', undefined],
  ['two lines', '/tmp/a.png\n/tmp/b.png', undefined],
  ['text', 'look at a.png', undefined],
  ['a broken address', 'file:///tmp/%zz.png', '/tmp/%zz.png'],
])('the path of an image in what was pasted: %s', (_, pasted, path) => {
  expect(findImagePath(pasted, '/home/me')).toBe(path);
});

describe('reading an image', () => {
  test('says what it is by its bytes', async () => {
    const { path } = temporaryDirectory();
    writeFileSync(join(path, 'a.jpg'), png);
    const read = await readImage(join(path, 'a.jpg'));
    expect(read).toEqual({
      ok: true,
      value: { mediaType: 'image/png', data: png.toString('base64'), name: join(path, 'a.jpg') },
    });
  });

  test.each([
    ['no image', 'hello', 'is not an image'],
    ['too large', Buffer.alloc(5 * 1024 * 1024), 'the limit is 3.75 MB'],
  ])('refuses what is %s', async (_, content, why) => {
    const { path } = temporaryDirectory();
    writeFileSync(join(path, 'a.png'), content);
    const read = await readImage(join(path, 'a.png'));
    expect(read.ok ? '' : read.problem.message).toContain(why);
  });

  test('refuses what is missing or no file', async () => {
    const { path } = temporaryDirectory();
    symlinkSync('/dev/zero', join(path, 'zero.png'));
    for (const name of ['none.png', 'zero.png']) expect((await readImage(join(path, name))).ok).toBe(false);
  });
});

describe('the clipboard', () => {
  test('is asked for by the programs of the desktop', () => {
    const files = (platform: string, environment: Record<string, string>) => [
      ...new Set(clipboardPrograms(platform, environment).map((program) => program.file)),
    ];
    expect(files('linux', { WAYLAND_DISPLAY: 'w', DISPLAY: ':0' })).toEqual(['wl-paste', 'xclip']);
    expect(files('darwin', {})).toEqual(['pngpaste']);
    expect(files('linux', {})).toEqual([]);
  });

  test('gives what the first of them has', async () => {
    const { path } = temporaryDirectory();
    writeFileSync(
      join(path, 'xclip'),
      `#!/bin/sh\ncase "$*" in *image/jpeg*) printf '\\377\\330\\377\\340' ;; *) exit 1 ;; esac\n`,
      { mode: 0o700 },
    );
    const run = clipboardRunner({ cwd: path, env: { PATH: `${path}:/usr/bin:/bin` }, clock: systemClock });
    const read = await readClipboardImage(run, 'linux', { DISPLAY: ':0', WAYLAND_DISPLAY: 'w' });
    expect(read.ok && read.value.mediaType).toBe('image/jpeg');
  });

  test('that has no image says what to do instead', async () => {
    const read = await readClipboardImage(async () => undefined, 'linux', { DISPLAY: ':0' });
    expect(read.ok ? '' : `${read.problem.message} ${read.problem.hint}`).toContain('Paste the path');
  });
});
