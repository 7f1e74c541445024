import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBeginning, readBounded, readBoundedText } from '../../src/lib/files/read-bounded.ts';
import { temporaryDirectory } from '../support/index.ts';

function openGround() {
  const top = temporaryDirectory().path;
  writeFileSync(join(top, 'file'), 'text');
  writeFileSync(join(top, 'empty'), '');
  mkdirSync(join(top, 'directory'));
  symlinkSync('file', join(top, 'link'));
  symlinkSync('nowhere', join(top, 'dangling'));
  symlinkSync('loop', join(top, 'loop'));
  symlinkSync('/dev/ptmx', join(top, 'terminal'));
  symlinkSync('/dev/zero', join(top, 'endless'));
  execFileSync('mkfifo', [join(top, 'pipe')]);
  return (name: string) => join(top, name);
}

test('a file is read whole, up to the limit and not beyond', () => {
  const at = openGround();
  expect(readBounded(at('file'), 4)).toMatchObject({ state: 'read', bytes: Buffer.from('text') });
  expect(readBounded(at('file'), 3)).toEqual({ state: 'unreadable' });
  expect(readBounded(at('empty'), 0)).toMatchObject({ state: 'read', bytes: Buffer.from('') });
  expect(readBoundedText(at('link'), 100)).toBe('text');
});

test('pipes, devices and directories are not read, and not waited for', () => {
  const at = openGround();
  for (const name of ['pipe', 'terminal', 'endless', 'directory', 'loop'])
    expect([name, readBounded(at(name), 100).state, readBeginning(at(name), 10).state]).toEqual([
      name,
      'unreadable',
      'unreadable',
    ]);
});

test('what is not there is missing, also behind a link and below a file', () => {
  const at = openGround();
  for (const name of ['none', 'dangling', 'file/below', 'none/below'])
    expect([name, readBounded(at(name), 100)]).toEqual([name, { state: 'missing' }]);
});

test('where links are refused none is followed', () => {
  const at = openGround();
  for (const name of ['link', 'dangling', 'endless'])
    expect(readBounded(at(name), 100, { refusesLinks: true })).toEqual({ state: 'unreadable' });
  expect(readBounded(at('file'), 100, { refusesLinks: true }).state).toBe('read');
});

test('the beginning of a file of any size is read', () => {
  const at = openGround();
  writeFileSync(at('large'), 'x'.repeat(100_000));
  expect(readBeginning(at('large'), 3)).toMatchObject({ state: 'read', bytes: Buffer.from('xxx') });
  expect(readBeginning(at('file'), 100)).toMatchObject({ state: 'read', bytes: Buffer.from('text') });
});

test('a file that says it is empty, as those of the system do, is read to its end', () => {
  expect(readBoundedText('/proc/self/mountinfo', 1024 * 1024)).toContain(' / ');
  expect(readBounded('/proc/self/mountinfo', 10)).toEqual({ state: 'unreadable' });
});
