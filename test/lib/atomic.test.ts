import { expect, test } from 'bun:test';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describeFileError, ensurePrivateDirectory, writeAtomic } from '../../src/lib/files/atomic.ts';
import { runUnprivileged, temporaryDirectory } from '../support/index.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('a written file is private unless told otherwise, whatever the umask', () => {
  const { path } = temporaryDirectory();
  const before = process.umask(0o077);
  try {
    expect(writeAtomic(join(path, 'a'), 'x').ok).toBe(true);
    expect(writeAtomic(join(path, 'b'), 'x', 0o644).ok).toBe(true);
  } finally {
    process.umask(before);
  }
  expect(modeOf(join(path, 'a'))).toBe(0o600);
  expect(modeOf(join(path, 'b'))).toBe(0o644);
});

test('old content is replaced and no temporary file stays', () => {
  const { path } = temporaryDirectory();
  writeFileSync(join(path, 'a'), 'old and longer');
  expect(writeAtomic(join(path, 'a'), new Uint8Array([110, 101, 119])).ok).toBe(true);
  expect(readFileSync(join(path, 'a'), 'utf8')).toBe('new');
  expect(readdirSync(path)).toEqual(['a']);
});

test('a symlink is replaced and its target stays as it is', () => {
  const { path } = temporaryDirectory();
  writeFileSync(join(path, 'target'), 'kept');
  symlinkSync(join(path, 'target'), join(path, 'link'));
  writeAtomic(join(path, 'link'), 'new');
  expect(readFileSync(join(path, 'target'), 'utf8')).toBe('kept');
  expect(readFileSync(join(path, 'link'), 'utf8')).toBe('new');
});

test('a failed rename leaves nothing behind and the message names the path', () => {
  const { path } = temporaryDirectory();
  mkdirSync(join(path, 'a', 'inner'), { recursive: true });
  const result = writeAtomic(join(path, 'a'), 'x');
  expect(result).toMatchObject({ ok: false, problem: { message: expect.stringContaining(join(path, 'a')) } });
  expect(readdirSync(path)).toEqual(['a']);
});

test('refused access is a value with the path and a next step', async () => {
  const script = join(import.meta.dir, 'refused.script.ts');
  const seen = await runUnprivileged<Record<'write' | 'directory' | 'append' | 'read', unknown>>(script);
  for (const result of Object.values(seen)) {
    expect(result).toMatchObject({
      ok: false,
      problem: {
        message: expect.stringMatching(/closed.*permission denied \(EACCES\)/),
        hint: expect.stringContaining('owns'),
      },
    });
  }
});

test('a private directory is made with its parents and closed to others', () => {
  const { path } = temporaryDirectory();
  expect(ensurePrivateDirectory(join(path, 'a', 'b')).ok).toBe(true);
  expect(modeOf(join(path, 'a'))).toBe(0o700);
  expect(modeOf(join(path, 'a', 'b'))).toBe(0o700);
});

test('a directory of ours that is open to others is closed, its parent is left alone', () => {
  const { path } = temporaryDirectory();
  mkdirSync(join(path, 'a', 'b'), { recursive: true, mode: 0o755 });
  ensurePrivateDirectory(join(path, 'a', 'b'));
  expect(modeOf(join(path, 'a', 'b'))).toBe(0o700);
  expect(modeOf(join(path, 'a'))).toBe(0o755);
});

test('a sticky directory, shared as /tmp is, is not closed by its owner', () => {
  const { path } = temporaryDirectory();
  chmodSync(path, 0o1777);
  expect(ensurePrivateDirectory(path).ok).toBe(true);
  expect(statSync(path).mode & 0o7777).toBe(0o1777);
});

test('a file where a directory should be is said so', () => {
  const { path } = temporaryDirectory();
  writeFileSync(join(path, 'a'), '');
  expect(ensurePrivateDirectory(join(path, 'a', 'b'))).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining('not a directory') },
  });
});

test('an unknown error keeps its own words', () => {
  expect(describeFileError(new Error('odd thing'), '/x', 'read')).toEqual({
    kind: 'failure',
    message: 'Cannot read /x: odd thing.',
  });
});
