import { expect, test } from 'bun:test';
import { appendFileSync, chmodSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { hashBytes } from '../../src/lib/hash.ts';
import { isKept } from '../../src/store/files/kept-bytes.ts';
import { clockThatFliesAfter, ground, heldGit } from './snapshot-ground.ts';

const count = 300;
const names = Array.from({ length: count }, (_, index) => `d${index % 10}/f${index}`);
const unrecorded = 'unkept: it was not recorded yet when a command changed it';

/** A command that starts when all files are listed and hardly one is read, in a repository or not. */
async function startEarly(isTracked: boolean) {
  const at = ground({ clock: clockThatFliesAfter(count) });
  for (const name of names) at.write(name, `content of ${name}\n`);
  if (isTracked) {
    at.git('init', '-q');
    at.git('add', '-A');
    at.git('commit', '-qm', 'Start');
  }
  const snapshot = at.open();
  const command = await snapshot.begin('t1', null);
  const before = (name: string) => at.histories().find(({ path }) => path === at.file(name));
  const finish = async () => {
    command.end();
    await snapshot.settle();
  };
  return { ...at, snapshot, command, before, finish };
}

test('tracked files that a command removes before they are read come back from git, and the record says so', async () => {
  const { file, records, before, finish, directory } = await startEarly(true);
  for (const name of names) rmSync(file(name));
  await finish();
  const fromGit = names.filter((name) => before(name)?.isFromGit);
  expect(fromGit.length).toBeGreaterThan(count / 2);
  for (const name of names) {
    const hash = hashBytes(`content of ${name}\n`);
    expect(before(name)).toMatchObject({ before: hash, after: null, cause: 'shell' });
    expect(isKept(directory, hash)).toBe(true);
  }
  expect(records.at(-1)).toMatchObject({ type: 'command-files', files: count });
});

test('files that git does not have and that a command removes before they are read are named as lost', async () => {
  const { file, before, finish } = await startEarly(false);
  for (const name of names) rmSync(file(name));
  await finish();
  const lost = names.filter((name) => before(name)?.before === unrecorded);
  expect(lost.length).toBeGreaterThan(count / 2);
  for (const name of names.filter((one) => !lost.includes(one)))
    expect(before(name)?.before).toBe(hashBytes(`content of ${name}\n`));
});

test('the command says how many files were not recorded when it started', async () => {
  const { command } = await startEarly(false);
  expect(await command.notices()).toEqual([
    expect.stringMatching(
      /^\d+ of 300 files were not recorded yet when this command started\. \/rewind may not/,
    ),
  ]);
});

test('a file that a command changes or moves before it is read is not taken for what it was', async () => {
  const { file, before, finish } = await startEarly(true);
  const [moved = '', changed = '', replaced = '', closed = ''] = names.slice(150);
  appendFileSync(file(changed), 'more');
  renameSync(file(moved), file(replaced));
  chmodSync(file(closed), 0o600);
  await finish();
  expect(before(changed)).toMatchObject({ before: hashBytes(`content of ${changed}\n`), isFromGit: true });
  expect(before(replaced)).toMatchObject({ before: hashBytes(`content of ${replaced}\n`), isFromGit: true });
  expect(before(moved)).toMatchObject({ after: null, isFromGit: true });
  expect(before(closed)).toMatchObject({ mode: 0o644, modeAfter: 0o600 });
});

test('a tracked file whose staged content has another size than the file had is not restored from git', async () => {
  const at = ground({ clock: clockThatFliesAfter(count) });
  for (const name of names) at.write(name, `content of ${name}\n`);
  at.git('init', '-q');
  at.git('add', '-A');
  for (const name of names) at.write(name, `changed content of ${name}\n`);
  const snapshot = at.open();
  const command = await snapshot.begin('t1', null);
  for (const name of names) rmSync(at.file(name));
  command.end();
  await snapshot.settle();
  const befores = new Set(at.histories().map(({ path, before }) => [path, before] as const));
  for (const [path, before] of befores)
    expect([unrecorded, hashBytes(`changed content of ${path.slice(at.work.length + 1)}\n`)]).toContain(
      before ?? '',
    );
  expect(at.histories()).toHaveLength(count);
});

test('a command that starts before all files are listed says so, also when another process notes what it did', async () => {
  const { env, started, letGo } = heldGit();
  const clock = manualClock(Date.now());
  const at = ground();
  at.write('a', 'a');
  at.git('init', '-q');
  const snapshot = at.open({ env, clock });
  const begun = snapshot.begin('t1', null);
  await started();
  clock.advance(10_000);
  const command = await begun;
  rmSync(at.file('a'));
  letGo();
  await snapshot.prepare();
  expect(await command.notices()).toEqual([expect.stringContaining('not all listed yet')]);
  const later = at.open();
  await later.settle();
  await later.close();
  expect(at.records).toMatchObject([{ toolUseId: 't1', unseen: expect.stringContaining('first scan') }]);
});

test('a command that is not wanted any more does not wait', async () => {
  const { env, started, letGo } = heldGit();
  const at = ground();
  at.git('init', '-q');
  const snapshot = at.open({ env, clock: manualClock(Date.now()) });
  const stop = new AbortController();
  const begun = snapshot.begin('t1', null, stop.signal);
  await started();
  stop.abort();
  await begun;
  letGo();
  await snapshot.prepare();
});

test('recorded bytes are for their owner alone, and go with the session unless a record names them', async () => {
  const { path, directory, open, write, file } = ground();
  write('a', 'removed by a command');
  write('b', 'not touched');
  const snapshot = open();
  const command = await snapshot.begin('t1', null);
  const pack = join(path, 'session', 'snapshot.bytes');
  expect(statSync(pack).mode & 0o777).toBe(0o600);
  rmSync(file('a'));
  command.end();
  await snapshot.settle();
  await snapshot.close();
  expect(existsSync(pack)).toBe(false);
  expect(
    [hashBytes('removed by a command'), hashBytes('not touched')].map((hash) => isKept(directory, hash)),
  ).toEqual([true, false]);
  expect(statSync(join(directory, hashBytes('removed by a command'))).mode & 0o777).toBe(0o600);
});

test('what a killed process recorded is there for the next one, also when it was cut off in the middle', async () => {
  const { path, open, write, file, histories, directory } = ground();
  write('a', 'content of a');
  await open().begin('t1', null);
  appendFileSync(join(path, 'session', 'snapshot.bytes'), `${'0'.repeat(64)} 100\nhalf`);
  rmSync(file('a'));
  const later = open();
  await later.settle();
  await later.close();
  const hash = hashBytes('content of a');
  expect(histories()).toMatchObject([{ path: file('a'), before: hash, after: null }]);
  expect(isKept(directory, hash)).toBe(true);
});
