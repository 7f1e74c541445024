import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type Disk, systemDisk } from '../../src/lib/files/disk.ts';
import { memoryDisk } from '../../src/lib/files/memory-disk.ts';
import { getErrorCode } from '../../src/lib/result.ts';
import { temporaryDirectory } from '../support/index.ts';

for (const [name, makePlace] of [
  ['the disk of the system', () => ({ disk: systemDisk, root: temporaryDirectory().path })],
  ['the disk in memory', () => ({ disk: memoryDisk(), root: '/' })],
] as const)
  describe(name, () => {
    function place() {
      const { disk, root } = makePlace();
      return { disk, at: (path: string) => join(root, path) };
    }

    test('what is written is read back from any position', () => {
      const { disk, at } = place();
      write(disk, at('a'), 'hello');
      expect(read(disk, at('a'))).toBe('hello');
      const file = disk.open(at('a'), { access: 'read' });
      const buffer = Buffer.alloc(10);
      expect(file.read(buffer, 3)).toBe(2);
      expect(buffer.toString('utf8', 0, 2)).toBe('lo');
      expect(file.read(buffer, 5)).toBe(0);
      file.close();
    });

    test('a read that does not hold up anything gives the same', async () => {
      const { disk, at } = place();
      write(disk, at('a'), 'hello');
      const file = disk.open(at('a'), { access: 'read' });
      const buffer = Buffer.alloc(3);
      expect(await file.readSoon(buffer, 1)).toBe(3);
      expect(buffer.toString()).toBe('ell');
      expect(await file.readSoon(buffer, 5)).toBe(0);
      file.close();
    });

    test('writes start at a byte of what is given, and follow each other', () => {
      const { disk, at } = place();
      const file = disk.open(at('a'), { access: 'write', create: 'new' });
      expect(file.write(Buffer.from('xxabc'), 2)).toBe(3);
      expect(file.write(Buffer.from('def'), 0)).toBe(3);
      file.sync();
      file.close();
      expect(read(disk, at('a'))).toBe('abcdef');
    });

    test('of two that append, each writes at the end, and both can read', () => {
      const { disk, at } = place();
      const [one, two] = [append(disk, at('log')), append(disk, at('log'))];
      one.write(Buffer.from('1'), 0);
      two.write(Buffer.from('2'), 0);
      one.write(Buffer.from('3'), 0);
      const buffer = Buffer.alloc(3);
      two.read(buffer, 0);
      expect(buffer.toString()).toBe('123');
      one.truncate(1);
      two.write(Buffer.from('4'), 0);
      expect(read(disk, at('log'))).toBe('14');
      one.close();
      two.close();
    });

    test('a file that must be new is refused where one exists, and one that must exist where none does', () => {
      const { disk, at } = place();
      write(disk, at('a'), '');
      expect(codeOf(() => disk.open(at('a'), { access: 'write', create: 'new' }))).toBe('EEXIST');
      expect(codeOf(() => disk.open(at('b'), { access: 'append' }))).toBe('ENOENT');
      expect(codeOf(() => disk.open(at('b'), { access: 'read' }))).toBe('ENOENT');
      expect(codeOf(() => disk.open(at('no/b'), { access: 'append', create: 'missing' }))).toBe('ENOENT');
      expect(codeOf(() => disk.open(at('a/b'), { access: 'append', create: 'missing' }))).toBe('ENOTDIR');
    });

    test('a file is open for what was asked for, until it is closed', () => {
      const { disk, at } = place();
      write(disk, at('a'), 'x');
      const file = disk.open(at('a'), { access: 'read' });
      expect(codeOf(() => file.write(Buffer.from('y'), 0))).toBe('EBADF');
      file.close();
      expect(codeOf(() => file.read(Buffer.alloc(1), 0))).toBe('EBADF');
    });

    test('a status says size, mode, owner, identity and time; nothing exists: undefined', () => {
      const { disk, at } = place();
      write(disk, at('a'), 'hello');
      const found = disk.stat(at('a'));
      expect(found).toMatchObject({ size: 5, uid: process.getuid?.() });
      expect((found?.mode ?? 0) & 0o777).toBe(0o600);
      expect(found?.isFile()).toBe(true);
      expect(Math.abs((found?.mtimeMs ?? 0) - Date.now())).toBeLessThan(60_000);
      expect(disk.stat(at('b'))).toBeUndefined();
      expect(disk.stat(at('.'))?.isFile()).toBe(false);
    });

    test('a mode is changed by name and through the open file', () => {
      const { disk, at } = place();
      const file = append(disk, at('a'));
      file.chmod(0o640);
      expect((disk.stat(at('a'))?.mode ?? 0) & 0o777).toBe(0o640);
      disk.chmod(at('a'), 0o600);
      expect(file.stat().mode & 0o777).toBe(0o600);
      file.close();
    });

    test('a link is a second name of the same file, and a taken name is refused', () => {
      const { disk, at } = place();
      write(disk, at('a'), 'x');
      disk.link(at('a'), at('b'));
      expect(disk.stat(at('b'))?.ino).toBe(disk.stat(at('a'))?.ino ?? -1);
      expect(codeOf(() => disk.link(at('a'), at('b')))).toBe('EEXIST');
      expect(codeOf(() => disk.link(at('missing'), at('c')))).toBe('ENOENT');
      disk.unlink(at('a'));
      expect(read(disk, at('b'))).toBe('x');
    });

    test('a rename replaces, and does nothing between two names of one file', () => {
      const { disk, at } = place();
      write(disk, at('a'), 'new');
      write(disk, at('b'), 'old');
      disk.rename(at('a'), at('b'));
      expect(read(disk, at('b'))).toBe('new');
      expect(disk.stat(at('a'))).toBeUndefined();
      disk.link(at('b'), at('c'));
      disk.rename(at('b'), at('c'));
      expect(disk.list(at('.')).toSorted()).toEqual(['b', 'c']);
      expect(codeOf(() => disk.rename(at('missing'), at('c')))).toBe('ENOENT');
    });

    test('an open file stays the same when its name is removed or replaced', () => {
      const { disk, at } = place();
      const file = append(disk, at('a'));
      disk.unlink(at('a'));
      write(disk, at('a'), 'another');
      file.write(Buffer.from('mine'), 0);
      const buffer = Buffer.alloc(4);
      file.read(buffer, 0);
      expect(buffer.toString()).toBe('mine');
      expect(file.stat().ino).not.toBe(disk.stat(at('a'))?.ino ?? -1);
      file.close();
      expect(codeOf(() => disk.unlink(at('missing')))).toBe('ENOENT');
    });

    test('directories are made with those above them, listed, and never opened as files', () => {
      const { disk, at } = place();
      expect(disk.makeDirectory(at('one/two'))).toBe(true);
      expect(disk.makeDirectory(at('one/two'))).toBe(false);
      write(disk, at('one/file'), '');
      expect(disk.list(at('one')).toSorted()).toEqual(['file', 'two']);
      expect(codeOf(() => disk.list(at('missing')))).toBe('ENOENT');
      expect(codeOf(() => disk.list(at('one/file')))).toBe('ENOTDIR');
      expect(codeOf(() => disk.open(at('one/two'), { access: 'append' }))).toBe('EISDIR');
      expect(codeOf(() => disk.makeDirectory(at('one/file')))).toBe('EEXIST');
      disk.syncDirectory(at('one'));
    });

    test('a file that grew by a truncation is filled with zeros', () => {
      const { disk, at } = place();
      const file = append(disk, at('a'));
      file.write(Buffer.from('abc'), 0);
      file.truncate(1);
      file.truncate(3);
      expect(read(disk, at('a'))).toBe('a\0\0');
      file.close();
    });
  });

function append(disk: Disk, path: string) {
  return disk.open(path, { access: 'append', create: 'missing' });
}

function write(disk: Disk, path: string, text: string): void {
  const file = disk.open(path, { access: 'write', create: 'new' });
  file.write(Buffer.from(text), 0);
  file.close();
}

function read(disk: Disk, path: string): string {
  const file = disk.open(path, { access: 'read' });
  const buffer = Buffer.alloc(file.stat().size);
  file.read(buffer, 0);
  file.close();
  return buffer.toString();
}

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
    return 'no error';
  } catch (error) {
    return getErrorCode(error);
  }
}
