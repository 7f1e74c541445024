import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeptObjects } from '../../src/workspace/git/kept-objects.ts';
import { needsThat, temporaryDirectory } from '../support/index.ts';

const name = `ab/${'c'.repeat(38)}`;

function keep(size: number, parent?: string) {
  const objects = join(temporaryDirectory().path, 'objects');
  const place = join(temporaryDirectory(parent).path, 'git-objects', 'one');
  mkdirSync(join(objects, 'ab'), { recursive: true });
  writeFileSync(join(objects, name), Buffer.alloc(size, 'x'));
  const kept = new KeptObjects(place, objects);
  for (const _ of kept.keep([name, `ab/${'d'.repeat(38)}`]));
  return { kept, original: join(objects, name), copy: join(place, name), place };
}

test('a small file is copied, so that overwriting the original changes nothing', () => {
  const { kept, original, copy } = keep(10);
  truncateSync(original);
  expect(readFileSync(copy, 'utf8')).toBe('x'.repeat(10));
  expect(kept.putBack()).toBe(1);
  expect(readFileSync(original, 'utf8')).toBe('x'.repeat(10));
  expect(statSync(original).ino).not.toBe(statSync(copy).ino);
});

test('a large file gets a second name, and comes back under its first', () => {
  const { kept, original, copy } = keep(100_000);
  expect(statSync(copy).ino).toBe(statSync(original).ino);
  rmSync(original);
  expect(kept.putBack()).toBe(1);
  expect(statSync(original).size).toBe(100_000);
});

const isElsewhere = existsSync('/dev/shm') && statSync('/dev/shm').dev !== statSync('/tmp').dev;

needsThat(isElsewhere, 'a second file system in /dev/shm')(
  'on another file system a large file is copied',
  () => {
    const { kept, original, copy } = keep(100_000, '/dev/shm');
    expect(statSync(copy).size).toBe(100_000);
    rmSync(original);
    expect(kept.putBack()).toBe(1);
    expect(statSync(original).size).toBe(100_000);
  },
);

test('at the end nothing stays but what is needed, or was left by another process and is gone', () => {
  const { kept, place, copy } = keep(10);
  kept.close();
  expect(existsSync(place)).toBe(false);
  const again = keep(10);
  rmSync(again.original);
  new KeptObjects(again.place, join(again.original, '..', '..')).close();
  expect(existsSync(again.copy)).toBe(true);
  expect(existsSync(copy)).toBe(false);
});
