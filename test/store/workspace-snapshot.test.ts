import { expect, test } from 'bun:test';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import { ok } from '../../src/lib/result.ts';
import type { CommandFilesRecord, FileHistoryRecord } from '../../src/protocol/record.ts';
import type { SnapshotParts } from '../../src/store/snapshot-parts.ts';
import { WorkspaceSnapshot } from '../../src/store/workspace-snapshot.ts';
import { runUnprivileged, temporaryDirectory } from '../support/index.ts';

function ground(more: Partial<SnapshotParts> = {}) {
  const { path } = temporaryDirectory();
  const work = join(path, 'work');
  mkdirSync(work);
  const records: (FileHistoryRecord | CommandFilesRecord)[] = [];
  const directory = join(path, 'kept');
  const open = (other: Partial<SnapshotParts> = {}) =>
    new WorkspaceSnapshot({
      ...{ directory, journal: join(path, 'session', 'snapshot.jsonl'), roots: () => [work] },
      ...{ env: { PATH: process.env.PATH ?? '', HOME: path }, userHome: path, clock: systemClock },
      append: (record) => ok(void records.push(record)),
      ...{ isEdited: () => false, isApart: () => false },
      ...more,
      ...other,
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
  const { path } = temporaryDirectory();
  writeFileSync(join(path, 'a'), 'a');
  const { open, directory, records } = ground({ userHome: path, roots: () => [path] });
  const snapshot = open();
  const command = await snapshot.begin('t1', null);
  rmSync(join(path, 'a'));
  command.end();
  await snapshot.settle();
  expect(records).toMatchObject([{ type: 'command-files', files: 0 }]);
  expect(existsSync(directory)).toBe(false);
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
  const { path, open, write, file, changes } = ground();
  write('a', 'a');
  write('b', 'b');
  const snapshot = open();
  await snapshot.prepare();
  write('a', 'by the user');
  await untilLater(path, file('a'));
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

test.each(['in no repository', 'in a repository', 'ignored'])(
  'a directory that the user cannot enter is left out: %s',
  async (kind) => {
    const seen = await runUnprivileged(join(import.meta.dir, 'closed-directory.script.ts'), [kind]);
    expect(seen).toEqual({
      changes: [['open.txt', 'shell']],
      commands: [{ toolUseId: 't1', files: 1 }],
      unhandled: [],
    });
  },
);

test('a look that fails makes the command incomplete, and the session continues', async () => {
  const broken = () => {
    throw new Error('no such disk');
  };
  const { open, write, file, records } = ground({ roots: broken });
  write('a', 'a');
  const snapshot = open();
  const command = await snapshot.begin('t1', null);
  await snapshot.settleFile(file('a'));
  command.end();
  await snapshot.settle();
  await snapshot.close();
  expect(records).toMatchObject([
    { type: 'command-files', toolUseId: 't1', unseen: 'the files could not be looked at: no such disk' },
  ]);
});

/** A `git` that never ends, and says who it is. */
function hangingGit() {
  const { path } = temporaryDirectory();
  const pidFile = join(path, 'pid');
  const script = `#!/bin/sh\necho $$ > ${pidFile}.new\nmv ${pidFile}.new ${pidFile}\nexec sleep 1000\n`;
  writeFileSync(join(path, 'git'), script, { mode: 0o755 });
  const started = async () => {
    while (!existsSync(pidFile)) await new Promise((resolve) => setImmediate(resolve));
    return Number(readFileSync(pidFile, 'utf8'));
  };
  return { env: { PATH: `${path}:${process.env.PATH}`, HOME: path }, started };
}

test('git does not outlive the snapshot', async () => {
  const { env, started } = hangingGit();
  const { open, work, path } = ground({ env });
  mkdirSync(join(work, '.git'));
  const snapshot = open();
  const ready = snapshot.prepare();
  const pid = await started();
  await snapshot.close();
  await ready;
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  expect(existsSync(join(path, 'session', 'snapshot.jsonl'))).toBe(false);
});

test('a first look that does not end: the command waits one second, the end five; later no file is taken for new', async () => {
  const { env, started } = hangingGit();
  const clock = manualClock(Date.now());
  const { open, work, write, changes, records } = ground({ clock });
  mkdirSync(join(work, '.git'));
  write('old', 'old');
  const snapshot = open({ env });
  const begun = snapshot.begin('t1', null);
  await started();
  clock.advance(1_000);
  const command = await begun;
  write('old', 'changed by the command');
  command.end();
  const closed = snapshot.close();
  clock.advance(5_000);
  await closed;
  expect(records).toEqual([]);
  const later = open({ clock: systemClock });
  await later.settle();
  expect(changes()).toEqual([]);
  expect(records).toMatchObject([{ toolUseId: 't1', unseen: expect.stringContaining('first look') }]);
  await later.close();
});

test('an ignored file that a command changes and no longer ignores is not taken for a new one', async () => {
  const { open, write, file, records, work } = ground();
  Bun.spawnSync(['git', 'init', '-q'], { cwd: work });
  write('.gitignore', '*.log');
  write('mine.log', 'mine');
  const snapshot = open();
  const command = await snapshot.begin('t1', null);
  rmSync(file('.gitignore'));
  appendFileSync(file('mine.log'), ' and more');
  write('new.txt', 'new');
  command.end();
  await snapshot.settle();
  const before = records.flatMap((record) =>
    record.type === 'file-history' ? [[record.path, record.before]] : [],
  );
  expect(Object.fromEntries(before)).toEqual({
    [file('.gitignore')]: expect.stringMatching(/^[0-9a-f]{64}$/),
    [file('new.txt')]: null,
  });
  expect(records.at(-1)).toMatchObject({ type: 'command-files', uncovered: [file('mine.log')] });
});

/** Until the file system's clock is surely past the last change of a file. */
async function untilLater(directory: string, file: string): Promise<void> {
  const probe = join(directory, 'probe');
  do {
    await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(probe, '');
  } while (statSync(probe).ctimeMs <= statSync(file).ctimeMs + 50);
}

test('where git does not say what it ignores, each command says so', async () => {
  const { open, path, work, file, records } = ground();
  const programs = join(path, 'programs');
  mkdirSync(programs);
  const real = Bun.which('git') ?? '';
  const text = `#!/bin/sh\ncase "$*" in *check-ignore*) exit 3 ;; esac\nexec ${real} "$@"\n`;
  writeFileSync(join(programs, 'git'), text, { mode: 0o755 });
  Bun.spawnSync([real, 'init', '-q'], { cwd: work });
  mkdirSync(file('watched'));
  const env = { PATH: `${programs}:${process.env.PATH}`, HOME: path };
  const snapshot = open({ env });
  const command = await snapshot.begin('t1', null);
  writeFileSync(file('watched/new'), 'x');
  command.end();
  await snapshot.settle();
  expect(records.at(-1)).toMatchObject({
    type: 'command-files',
    unseen: expect.stringContaining('does not say what it ignores'),
  });
});

test('a directory that cannot be read is named as not looked at', async () => {
  const listing = join(import.meta.dirname, '../../src/store/snapshot-listing.ts');
  const missed = await runUnprivileged<string[]>({
    code: `
import { chmodSync, mkdirSync } from 'node:fs';
import { listFiles } from '${listing}';
export default async function (_, directory) {
  const closed = directory + '/closed';
  mkdirSync(closed, { mode: 0o300 });
  const missed = [];
  await listFiles([directory], {
    env: {}, maxFiles: 100, isApart: () => false, signal: new AbortController().signal,
    ignore: { isRepository: () => false, listFor: () => undefined }, miss: (reason) => missed.push(reason),
  });
  chmodSync(closed, 0o700);
  return missed;
}`,
  });
  expect(missed).toEqual([expect.stringContaining('/closed cannot be read')]);
});
