import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { ok } from '../../src/lib/result.ts';
import type { CommandFilesRecord, FileHistoryRecord } from '../../src/protocol/record.ts';
import { WorkspaceSnapshot } from '../../src/store/workspace-snapshot.ts';
import { temporaryDirectory } from '../support/index.ts';

function ground(more: { maxFiles?: number; userHome?: string } = {}) {
  const { path } = temporaryDirectory();
  const work = join(path, 'work');
  mkdirSync(work);
  const records: (FileHistoryRecord | CommandFilesRecord)[] = [];
  const directory = join(path, 'kept');
  const open = () =>
    new WorkspaceSnapshot({
      ...{ directory, journal: join(path, 'session', 'snapshot.jsonl'), roots: () => [work] },
      ...{ env: { PATH: process.env.PATH ?? '', HOME: path }, userHome: path, clock: manualClock(0) },
      append: (record) => ok(void records.push(record)),
      ...{ isEdited: () => false, isApart: () => false },
      ...more,
    });
  const file = (name: string) => join(work, name);
  const write = (name: string, text: string) => writeFileSync(file(name), text);
  const changes = () =>
    records.flatMap((record) =>
      record.type === 'file-history' ? [[record.path.slice(work.length + 1), record.cause]] : [],
    );
  return { path, work, directory, open, records, file, write, changes };
}

test('files above the limit are not covered, and each command says so', async () => {
  const { open, write, file, records, changes } = ground({ maxFiles: 3 });
  for (const name of ['a', 'b', 'c', 'd']) write(name, name);
  const snapshot = open();
  const command = await snapshot.begin('t1', null);
  for (const name of ['a', 'b', 'c', 'd']) rmSync(file(name));
  command.end();
  await snapshot.settle();
  expect(changes()).toHaveLength(3);
  expect(records.at(-1)).toMatchObject({
    type: 'command-files',
    files: 3,
    unseen: 'only 3 files are covered',
  });
});

test('a whole home is not covered', async () => {
  const { open, write, work } = ground();
  write('a', 'a');
  const { directory, open: openHome, records } = ground({ userHome: work });
  expect(open).toBeFunction();
  const snapshot = openHome();
  (await snapshot.begin('t1', null)).end();
  await snapshot.settle();
  expect(records).toMatchObject([{ type: 'command-files', files: 0 }]);
  expect(() => readdirSync(directory)).toThrow();
});

test('kept bytes and the journal are for their owner alone', async () => {
  const { open, write, directory, path } = ground();
  write('secret', 'x');
  const snapshot = open();
  await snapshot.begin('t1', null);
  const [kept = ''] = readdirSync(directory);
  expect(statSync(join(directory, kept)).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, 'session', 'snapshot.jsonl')).mode & 0o777).toBe(0o600);
});

test('what is changed before a command starts is not its work, whatever time it was given', async () => {
  const { open, write, file, changes } = ground();
  write('a', 'a');
  write('b', 'b');
  const snapshot = open();
  await snapshot.prepare();
  write('a', 'by the user');
  await Bun.sleep(60);
  const command = await snapshot.begin('t1', null);
  write('b', 'by the command');
  utimesSync(file('b'), 0, 0);
  command.end();
  await snapshot.settle();
  expect(changes()).toEqual([['b', 'shell']]);
});

test('another process sees what a command did that the first one did not live to see', async () => {
  const { open, write, file, changes, records } = ground();
  write('a', 'a');
  write('gone', 'gone');
  await open().begin('t1', null);
  write('a', 'by the command');
  rmSync(file('gone'));
  write('new', 'new');
  const later = open();
  expect(later.isCutOff).toBe(true);
  await later.settle();
  await later.close();
  expect(changes()).toEqual([
    ['a', 'shell'],
    ['gone', 'shell'],
    ['new', 'shell'],
  ]);
  expect(records.at(-1)).toMatchObject({ type: 'command-files', toolUseId: 't1' });
  expect(later.isCutOff).toBe(false);
});
