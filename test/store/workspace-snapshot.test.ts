import { expect, test } from 'bun:test';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Clock, manualClock, systemClock } from '../../src/lib/clock.ts';
import { runUnprivileged, temporaryDirectory } from '../support/index.ts';
import { ground } from './snapshot-ground.ts';

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

test('the command that makes a file whose name is not text says that more may have changed, and so do later ones', async () => {
  const { open, work, write, records } = ground();
  write('a', 'a');
  const snapshot = open();
  for (const id of ['t1', 't2']) {
    const command = await snapshot.begin(id, null);
    writeFileSync(Buffer.from(`${work}/${id}-\xff`, 'latin1'), 'x');
    command.end();
    await snapshot.settle();
  }
  const unseen = 'files whose names are not valid UTF-8 are not covered';
  expect(records).toMatchObject([
    { toolUseId: 't1', unseen },
    { toolUseId: 't2', unseen },
  ]);
});

test('a whole home is not covered, and each command says so', async () => {
  const { path } = temporaryDirectory();
  writeFileSync(join(path, 'a'), 'a');
  const { open, directory, records } = ground({ userHome: path, roots: () => [path] });
  const snapshot = open();
  const command = await snapshot.begin('t1', null);
  rmSync(join(path, 'a'));
  command.end();
  await snapshot.settle();
  expect(records).toMatchObject([
    {
      type: 'command-files',
      files: 0,
      unseen: `a whole home directory (${path}) is never recorded as a working directory`,
    },
  ]);
  expect(await command.notices()).toEqual([expect.stringContaining('a whole home directory')]);
  expect(existsSync(directory)).toBe(false);
});

test('the journal is for its owner alone', async () => {
  const { open, write, path } = ground();
  write('secret', 'x');
  await open().begin('t1', null);
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
    { type: 'command-files', toolUseId: 't1', unseen: 'the files could not be read: no such disk' },
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

test('a first look that does not end: the command waits ten seconds, the end three; later no file is taken for new', async () => {
  const { env, started } = hangingGit();
  const clock = manualClock(Date.now());
  const { open, work, write, changes, records } = ground({ clock });
  mkdirSync(join(work, '.git'));
  write('old', 'old');
  const snapshot = open({ env });
  const begun = snapshot.begin('t1', null);
  await started();
  clock.advance(10_000);
  const command = await begun;
  write('old', 'changed by the command');
  command.end();
  const closed = snapshot.close();
  clock.advance(3_000);
  await closed;
  expect(records).toEqual([]);
  const later = open({ clock: systemClock });
  await later.settle();
  expect(changes()).toEqual([]);
  expect(records).toMatchObject([{ toolUseId: 't1', unseen: expect.stringContaining('first scan') }]);
  await later.close();
});

/** A `git` that reads objects for ever, and says how often it was asked to. */
function slowGit() {
  const { path } = temporaryDirectory();
  const asked = join(path, 'asked');
  const real = Bun.which('git');
  const script = `#!/bin/sh\ncase "$*" in *cat-file*) echo x >> ${asked}; exec sleep 1000;; esac\nexec ${real} "$@"\n`;
  writeFileSync(join(path, 'git'), script, { mode: 0o755 });
  const times = () => (existsSync(asked) ? readFileSync(asked, 'utf8').length / 2 : 0);
  return { env: { PATH: `${path}:${process.env.PATH}`, HOME: path }, times };
}

test('a last look that takes too long is ended at once, and continued by the next process', async () => {
  const limits: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    after(ms, act) {
      if (ms < 1_000) return systemClock.after(ms, act);
      limits.push(act);
      return () => {};
    },
  };
  const { env, times } = slowGit();
  const { open, work, write, file, changes, path } = ground();
  const names = Array.from({ length: 40 }, (_, index) => `file-${index + 10}`);
  for (const name of names) write(name, name);
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
  ])
    Bun.spawnSync(['git', ...args], { cwd: work });
  const snapshot = open({ clock, env });
  await snapshot.prepare();
  const command = await snapshot.begin('t1', null);
  for (const name of names) rmSync(file(name));
  command.end();
  const settled = snapshot.settle(2_000);
  while (times() === 0) await new Promise((resolve) => setImmediate(resolve));
  for (const end of limits.splice(0)) end();
  await settled;
  const closed = snapshot.close();
  for (const end of limits.splice(0)) end();
  await closed;
  expect([times(), changes()]).toEqual([1, []]);
  await untilLater(path, work);
  write('file-10', 'by the user');
  const later = open();
  expect(later.isCutOff).toBe(true);
  await later.settle();
  await later.close();
  const [first, ...rest] = changes();
  expect(first).toEqual(['file-10', 'outside']);
  expect(rest.map(([name]) => name)).toEqual(names.slice(1));
  expect(later.isCutOff).toBe(false);
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
    unseen: expect.stringContaining('does not list the ignored files'),
  });
});

test('a directory that cannot be read is named as not looked at', async () => {
  const listing = join(import.meta.dirname, '../../src/store/snapshot/listing.ts');
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

for (const mode of [0o300, 0])
  test(`a directory that a command closes behind a new file is named as not looked at (mode ${mode.toString(8)})`, async () => {
    const script = join(import.meta.dirname, 'unlistable-directory.script.ts');
    expect(await runUnprivileged<unknown>(script, [mode])).toEqual(['/sub cannot be read']);
  });

test('where more names are not covered than are watched, each command says so', async () => {
  const { open, write, file, records, git } = ground();
  write('.gitignore', '*.log\n');
  git('init', '-q');
  for (let index = 0; index <= 2_000; index++) write(`${index}.log`, '');
  const snapshot = open();
  const command = await snapshot.begin('t1', null);
  for (let index = 0; index <= 2_000; index++) rmSync(file(`${index}.log`));
  command.end();
  await snapshot.settle();
  await snapshot.close();
  expect(records.at(-1)).toMatchObject({
    unseen: 'more than 2000 paths are not covered, and the rest are not watched',
  });
});
