import { expect, test } from 'bun:test';
import type { PathAccess, PathEntry } from '../../../src/protocol/sandbox.ts';
import { mountArguments } from '../../../src/sandbox/bwrap/mounts.ts';

const entry = (access: PathAccess, path: string, more: Partial<PathEntry> = {}): PathEntry => ({
  path,
  access,
  isDirectory: true,
  ...more,
});

/** What is mounted on top of the root, `/dev`, `/proc` and `/tmp`. */
function mounted(...paths: PathEntry[]): string {
  const policy = {
    paths,
    temporary: '/p',
    links: [],
    network: 'none',
    unixSockets: false,
    localBinding: false,
  } as const;
  return mountArguments(policy).join(' ').split('--bind /p /tmp')[1]?.trim() ?? '';
}

test('parents come before what is in them', () => {
  expect(mounted(entry('read', '/w/a/b'), entry('write', '/w'))).toBe('--bind /w /w --ro-bind /w/a/b /w/a/b');
});

test('what is read-only anyway is not mounted', () => {
  expect(mounted(entry('read', '/home/u'), entry('read', '/w/x'))).toBe('');
});

test('of two entries for a path the stricter one counts', () => {
  expect(mounted(entry('write', '/w'), entry('write', '/w/x', { pinned: true }), entry('read', '/w/x'))).toBe(
    '--bind /w /w --ro-bind /w/x /w/x',
  );
});

test('a pinned directory is a mount point although nothing changes for it', () => {
  expect(mounted(entry('write', '/w'), entry('write', '/w/.git', { pinned: true }))).toBe(
    '--bind /w /w --bind /w/.git /w/.git',
  );
});

test('an empty directory stands for a hidden one, a device for a hidden file', () => {
  expect(mounted(entry('none', '/h/.ssh'), entry('none', '/h/keys', { isDirectory: false }))).toBe(
    '--ro-bind /dev/null /h/keys --perms 0555 --tmpfs /h/.ssh',
  );
});

test('a workspace in a hidden directory is shown again', () => {
  expect(mounted(entry('none', '/h'), entry('write', '/h/a/w'))).toBe(
    '--perms 0555 --tmpfs /h --perms 0555 --dir /h/a --bind /h/a/w /h/a/w',
  );
});

test('what is below /tmp is mounted where the private one would hide it', () => {
  expect(mounted(entry('read', '/tmp/home'), entry('write', '/tmp/w'), entry('read', '/tmp/w/x'))).toBe(
    '--ro-bind /tmp/home /tmp/home --bind /tmp/w /tmp/w --ro-bind /tmp/w/x /tmp/w/x',
  );
});
