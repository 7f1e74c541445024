import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { holdDirectory, holdNewDirectory } from '../../src/lib/files/hold-directory.ts';
import { openReal, readReal } from '../../src/lib/files/open-real.ts';
import { type RealPath, RealPlaces } from '../../src/lib/files/real-places.ts';
import { temporaryDirectory } from '../support/index.ts';

function ground() {
  const base = temporaryDirectory().path;
  mkdirSync(join(base, 'work/a/b'), { recursive: true });
  mkdirSync(join(base, 'outside/b'), { recursive: true });
  writeFileSync(join(base, 'work/a/b/f.txt'), 'inside');
  writeFileSync(join(base, 'outside/b/f.txt'), 'outside');
  return { base, at: (path: string) => join(base, path) as RealPath };
}

function textAt(path: RealPath, places?: RealPlaces): string {
  const found = readReal(path, 1000, places ? { places } : {});
  return found.state === 'found' ? (found.value.bytes?.toString() ?? 'special') : found.state;
}

function placeOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor);
  } catch {
    return '';
  }
}

describe('a real path is opened', () => {
  test('as it was judged', () => {
    const { at } = ground();
    expect(textAt(at('work/a/b/f.txt'))).toBe('inside');
  });

  test('not through a directory that became a link', () => {
    const { at } = ground();
    renameSync(at('work/a'), at('work/old'));
    symlinkSync(at('outside'), at('work/a'));
    expect(textAt(at('work/a/b/f.txt'))).toBe('moved');
    // Whether something is behind the link is not told either.
    expect(textAt(at('work/a/b/none.txt'))).toBe('moved');
  });

  test('not where it became a link itself', () => {
    const { at } = ground();
    renameSync(at('work/a/b/f.txt'), at('work/a/b/old.txt'));
    symlinkSync(at('outside/b/f.txt'), at('work/a/b/f.txt'));
    expect(textAt(at('work/a/b/f.txt'))).toBe('moved');
  });

  test('and what is missing is missing, at whatever depth', () => {
    const { at } = ground();
    expect(textAt(at('work/a/b/none.txt'))).toBe('missing');
    expect(textAt(at('work/none/none/none.txt'))).toBe('missing');
  });

  test('and a part that is a file is an error, not a link', () => {
    const { at } = ground();
    const found = openReal(at('work/a/b/f.txt/x'));
    expect(found.state).toBe('failed');
  });

  test('without waiting for a named pipe, which is not opened', () => {
    const { at } = ground();
    execFileSync('mkfifo', [at('work/pipe')]);
    const found = openReal(at('work/pipe'));
    expect(found).toMatchObject({ state: 'found' });
    if (found.state === 'found') expect(found.value.descriptor).toBeUndefined();
  });

  test('and a directory is told from a file', () => {
    const { at } = ground();
    expect(textAt(at('work/a'))).toBe('special');
  });

  test('by a second name of the same file', () => {
    const { at } = ground();
    linkSync(at('work/a/b/f.txt'), at('work/second.txt'));
    expect(textAt(at('work/second.txt'))).toBe('inside');
  });
});

describe('places that are lent', () => {
  test('serve many files, and notice that a directory was swapped in between', () => {
    const { at } = ground();
    const places = new RealPlaces();
    expect(textAt(at('work/a/b/f.txt'), places)).toBe('inside');
    renameSync(at('work/a'), at('work/old'));
    symlinkSync(at('outside'), at('work/a'));
    expect(textAt(at('work/a/b/f.txt'), places)).toBe('moved');
    expect(textAt(at('work/old/b/f.txt'), places)).toBe('inside');
    places.close();
  });

  test('leave no descriptor open', () => {
    const { base, at } = ground();
    for (const path of ['work/a/b/f.txt', 'work/none/x', 'work/a', 'outside/b/f.txt/x']) textAt(at(path));
    const open = readdirSync('/proc/self/fd').flatMap((name) => {
      const place = placeOf(`/proc/self/fd/${name}`);
      return place.startsWith(base) ? [place] : [];
    });
    expect(open).toEqual([]);
  });

  test('hold the root and names with bytes that are no text', () => {
    const { base } = ground();
    const places = new RealPlaces('latin1');
    const name = Buffer.concat([Buffer.from(`${base}/work/`), Buffer.from([0xff, 0x66])]);
    writeFileSync(name, 'x');
    const held = places.hold(name.toString('latin1'));
    expect(held.state).toBe('found');
    if (held.state === 'found') closeSync(held.value);
    const root = places.hold('/');
    expect(root.state).toBe('found');
    if (root.state === 'found') closeSync(root.value);
    places.close();
  });
});

describe('a held directory', () => {
  test('is the one that was judged, also once its name leads elsewhere', () => {
    const { at } = ground();
    const held = holdDirectory(at('work/a/b'));
    if (!held.ok) throw new Error(held.problem.message);
    renameSync(at('work/a'), at('work/old'));
    symlinkSync(at('outside'), at('work/a'));
    writeFileSync(join(held.value.path, 'new.txt'), 'x');
    held.value.close();
    expect(readFileSync(at('work/old/b/new.txt'), 'utf8')).toBe('x');
    expect(holdDirectory(at('work/a/b')).ok).toBe(false);
  });

  test('is made with those above it, and never behind a link', () => {
    const { at } = ground();
    const made = holdNewDirectory(at('work/x/y/z'));
    expect(made.state).toBe('found');
    if (made.state === 'found') made.value.close();
    symlinkSync(at('outside'), at('work/link'));
    expect(holdNewDirectory(at('work/link/y')).state).toBe('moved');
    expect(textAt(at('outside/y'))).toBe('missing');
  });
});

test('a directory that was moved after it was held is not taken for the one at its path', () => {
  const top = realpathSync(temporaryDirectory().path);
  mkdirSync(join(top, 'a/b'), { recursive: true });
  writeFileSync(join(top, 'a/b/file'), 'x');
  const places = new RealPlaces();
  expect(places.look(join(top, 'a/b/file')).state).toBe('found');
  renameSync(join(top, 'a/b'), join(top, 'elsewhere'));
  expect(places.look(join(top, 'a/b/file')).state).toBe('missing');
  renameSync(join(top, 'elsewhere'), join(top, 'a/b'));
  expect(places.directory(join(top, 'a/b')).state).toBe('found');
  renameSync(join(top, 'a/b'), join(top, 'elsewhere'));
  mkdirSync(join(top, 'a/b'));
  const held = places.directory(join(top, 'a/b'));
  expect(held.state === 'found' && existsSync(join(held.value, 'file'))).toBe(false);
  places.close();
});
