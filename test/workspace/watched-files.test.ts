import { beforeEach, expect, test } from 'bun:test';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { hashBytes } from '../../src/lib/hash.ts';
import { openWatchedFiles, type WatchedFiles } from '../../src/workspace/watched-files.ts';
import { needs, temporaryDirectory } from '../support/index.ts';

let top: string;
let file: string;
let watched: WatchedFiles;

/** As if every look came long after the last change, so that stamps alone are trusted. */
const muchLater = () => Number.MAX_SAFE_INTEGER;

beforeEach(() => {
  top = temporaryDirectory().path;
  file = join(top, 'file');
  writeFileSync(file, 'one');
  watched = openWatchedFiles(muchLater);
  watched.watch(file);
});

test('CO7 a file that nobody touched is not told of', () => {
  expect(watched.changes()).toEqual([]);
});

test('CO7 a changed file is told of once, with its hash before and now', () => {
  appendFileSync(file, ' two');
  const [change, ...others] = watched.changes();
  expect(others).toEqual([]);
  expect(change).toMatchObject({ path: file, kind: 'changed' });
  expect(change?.before.hash).toBe(hashBytes('one'));
  expect(change?.now.hash).toBe(hashBytes('one two'));
  expect(watched.changes()).toEqual([]);
});

test('CO7 another mode, other times and a copy of itself are no change', () => {
  chmodSync(file, 0o600);
  utimesSync(file, 1, 1);
  writeFileSync(join(top, 'copy'), 'one');
  renameSync(join(top, 'copy'), file);
  expect(watched.changes()).toEqual([]);
});

test('CO7 the same size and the same time of change do not hide a change', () => {
  const { atime, mtime } = statSync(file);
  writeFileSync(file, 'two');
  utimesSync(file, atime, mtime);
  expect(watched.changes()).toMatchObject([{ path: file, kind: 'changed' }]);
});

test('CO7 a look that came too soon after a change does not trust the stamp', () => {
  const soon = openWatchedFiles(() => 0);
  soon.watch(file, hashBytes('as if it had been written in the same tick'));
  expect(soon.changes()).toMatchObject([{ path: file, kind: 'changed' }]);
});

test('CO7 a file that is not read again while its stamp stays', () => {
  watched.watch(file, 'hash given by the writer');
  expect(watched.changes()).toEqual([]);
  expect(watched.findMark(file)?.hash).toBe('hash given by the writer');
});

test('CO7 deleted, and made again', () => {
  rmSync(file);
  expect(watched.changes()).toMatchObject([{ kind: 'deleted', now: { stamp: null, hash: null } }]);
  expect(watched.changes()).toEqual([]);
  writeFileSync(file, 'three');
  expect(watched.changes()).toMatchObject([{ kind: 'created' }]);
});

test('CO7 a directory, a link or a pipe in its place counts as deleted, and none of them is opened', () => {
  needs('mkfifo');
  rmSync(file);
  symlinkSync('/etc/hostname', file);
  expect(watched.changes()).toMatchObject([{ kind: 'deleted' }]);
  rmSync(file);
  mkdirSync(file);
  expect(watched.changes()).toEqual([]);
  rmSync(file, { recursive: true });
  Bun.spawnSync(['mkfifo', file]);
  expect(watched.changes()).toEqual([]);
});

test('CO7 a forgotten file is not looked at', () => {
  watched.forget(file);
  rmSync(file);
  expect(watched.changes()).toEqual([]);
  expect(watched.findMark(file)).toBeUndefined();
});

test('CO7 a parent that became a file does no harm', () => {
  mkdirSync(join(top, 'in'));
  writeFileSync(join(top, 'in/file'), 'x');
  watched.watch(join(top, 'in/file'));
  rmSync(join(top, 'in'), { recursive: true });
  writeFileSync(join(top, 'in'), 'now a file');
  expect(watched.changes()).toMatchObject([{ kind: 'deleted' }]);
});
