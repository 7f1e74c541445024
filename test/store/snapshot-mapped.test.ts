import { expect, test } from 'bun:test';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { hashBytes } from '../../src/lib/hash.ts';
import { isKept } from '../../src/store/kept-bytes.ts';
import { aTick } from '../support/index.ts';
import { ground } from './snapshot-ground.ts';

/** Writes to the file through a shared mapping that was read first, so that in memory no time changes. */
const write = `
import mmap, os, sys
for name in sys.argv[1:]:
    m = mmap.mmap(os.open(name, os.O_RDWR), 0)
    m[0]
    m[0:4] = b'evil'
`;

/** Makes the page dirty without changing it, says so, and writes into it when it is told to. */
const writeLater = `
import mmap, os, sys
m = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 0)
m[0] = m[0]
print('ready', flush=True)
sys.stdin.readline()
m[0:4] = b'evil'
`;

/** A committed file, one with changes and one that git does not know, in memory. */
async function inMemory() {
  const at = ground({}, '/dev/shm');
  at.git('init', '-q');
  for (const name of ['committed', 'changed']) at.write(name, `${name} text`);
  at.git('add', '-A');
  at.git('commit', '-qm', 'one');
  at.write('changed', 'my own words');
  at.write('new', 'words of mine');
  await aTick();
  return at;
}

const all = ['changed', 'committed', 'new'];
const causes = all.map((name) => [name, 'shell']);

test('in memory, where no time changes, what a command writes through a mapping is noted, with what was there before', async () => {
  const at = await inMemory();
  const snapshot = at.open();
  const command = await snapshot.begin('t1', null);
  const times = all.map((name) => statSync(at.file(name)).ctimeMs);
  execFileSync('python3', ['-c', write, ...all.map(at.file)]);
  expect(all.map((name) => statSync(at.file(name)).ctimeMs)).toEqual(times);
  command.end();
  await snapshot.settle();
  expect(at.changes().toSorted()).toEqual(causes);
  expect(
    at.histories().every(({ toolUseId, before }) => toolUseId === 't1' && isKept(at.directory, before ?? '')),
  ).toBe(true);
});

test('the end of a session reads all files, where times do not tell', async () => {
  const at = await inMemory();
  const snapshot = at.open();
  const command = await snapshot.begin('t1', null);
  execFileSync('python3', ['-c', write, ...all.map(at.file)]);
  command.end();
  await snapshot.close();
  expect(at.changes().toSorted()).toEqual(causes);
  expect(snapshot.isCutOff).toBe(false);
});

test('after a kill the next process finds what was written through a mapping', async () => {
  const at = await inMemory();
  const killed = at.open();
  await killed.begin('t1', null);
  execFileSync('python3', ['-c', write, ...all.map(at.file)]);
  const later = at.open();
  expect(later.isCutOff).toBe(true);
  await later.settle();
  expect(at.changes().toSorted()).toEqual(causes);
});

test('a file that the user changes after a command is not the command’s', async () => {
  const at = await inMemory();
  const snapshot = at.open();
  const command = await snapshot.begin('t1', null);
  command.end();
  await aTick();
  at.write('new', 'written later');
  await snapshot.settle();
  expect(at.changes()).toEqual([]);
});

test('on a disk, a command that wrote to a page before a look and writes to it again is found when it ends', async () => {
  const at = ground();
  at.write('notes', 'words of mine');
  execFileSync('sync', [at.file('notes')]);
  const changedAt = statSync(at.file('notes')).ctime.toISOString();
  const snapshot = at.open();
  const command = await snapshot.begin('t1', null);
  command.moveToBackground();
  const writer = spawn('python3', ['-c', writeLater, at.file('notes')]);
  await new Promise((resolve) => writer.stdout.once('data', resolve));
  await aTick();
  const other = await snapshot.begin('t2', null);
  other.end();
  await snapshot.settle();
  expect(at.changes()).toEqual([]);
  writer.stdin.end('\n');
  await new Promise((resolve) => writer.once('exit', resolve));
  expect(readFileSync(at.file('notes'), 'utf8')).toBe('evils of mine');
  command.end();
  await snapshot.close();
  expect(at.histories()).toMatchObject([
    { toolUseId: 't1', cause: 'shell', before: hashBytes('words of mine'), changedAt },
  ]);
});

test('before a rewind all files are read, whatever their times say', async () => {
  const at = ground();
  at.write('notes', 'words of mine');
  execFileSync('sync', [at.file('notes')]);
  const snapshot = at.open();
  const command = await snapshot.begin('t1', null);
  command.moveToBackground();
  const writer = spawn('python3', ['-c', writeLater, at.file('notes')]);
  await new Promise((resolve) => writer.stdout.once('data', resolve));
  await aTick();
  (await snapshot.begin('t2', null)).end();
  await snapshot.settle();
  writer.stdin.end('\n');
  await new Promise((resolve) => writer.once('exit', resolve));
  await snapshot.settle(Number.POSITIVE_INFINITY, true);
  expect(at.changes()).toEqual([['notes', 'shell']]);
});
