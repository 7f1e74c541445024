import { expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { hashBytes } from '../../src/lib/hash.ts';
import { failure, ok } from '../../src/lib/result.ts';
import type { FileHistoryRecord } from '../../src/protocol/record.ts';
import { createFileHistory } from '../../src/store/file-history.ts';
import { restoreFiles } from '../../src/store/restore-files.ts';
import { temporaryDirectory } from '../support/index.ts';

function create() {
  const root = temporaryDirectory().path;
  const project = join(root, 'project');
  const directory = join(root, 'history');
  mkdirSync(project);
  const records: FileHistoryRecord[] = [];
  const history = createFileHistory(directory, (record) => ok(void records.push(record)), manualClock(0));
  const file = (name: string) => join(project, name);
  const edit = async (name: string, text: string) => {
    const before = existsSync(file(name)) ? readFileSync(file(name)) : null;
    expect((await history.keep(file(name), before, 'c1')).ok).toBe(true);
    writeFileSync(file(name), text);
  };
  return { root, project, directory, records, history, file, edit };
}

test('bytes are kept privately under their hash before the record that names them', async () => {
  const { directory } = create();
  const order: unknown[] = [];
  const append = (record: FileHistoryRecord) => {
    order.push(record, readdirSync(directory));
    return ok(undefined);
  };
  const bytes = Buffer.from([0, 255, 10]);
  await createFileHistory(directory, append, manualClock(0)).keep('/p/a', bytes, 'c1');
  const hash = hashBytes(bytes);
  expect(order).toEqual([
    {
      type: 'file-history',
      timestamp: '1970-01-01T00:00:00.000Z',
      toolUseId: 'c1',
      path: '/p/a',
      before: hash,
    },
    [hash],
  ]);
  expect(statSync(join(directory, hash)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(directory, hash))).toEqual(bytes);
});

test('the same content is kept once', async () => {
  const { directory, history, records } = create();
  for (const path of ['/p/a', '/p/b', '/p/a']) await history.keep(path, Buffer.from('same'), 'c1');
  expect(readdirSync(directory)).toHaveLength(1);
  expect(records).toHaveLength(3);
});

test('a record that could not be written is a failure', async () => {
  const { directory } = create();
  const history = createFileHistory(directory, () => failure('no room'), manualClock());
  expect(await history.keep('/p/a', null, 'c1')).toMatchObject({
    ok: false,
    problem: { message: 'no room' },
  });
});

test('files go back to how they were before the first of the records', async () => {
  const { project, directory, records, file, edit } = create();
  writeFileSync(file('old'), 'one');
  chmodSync(file('old'), 0o755);
  await edit('old', 'two');
  await edit('old', 'three');
  await edit('new', 'made');
  rmSync(file('old'));
  writeFileSync(file('old'), 'elsewhere', { mode: 0o755 });
  const outcome = restoreFiles(records, directory, [project]);
  expect(outcome).toEqual({ restored: [file('old')], removed: [file('new')], problems: [] });
  expect(readFileSync(file('old'), 'utf8')).toBe('one');
  expect(statSync(file('old')).mode & 0o777).toBe(0o755);
  expect(existsSync(file('new'))).toBe(false);
});

test('a later point restores to that point only', async () => {
  const { project, directory, records, file, edit } = create();
  await edit('a', 'one');
  await edit('a', 'two');
  await edit('a', 'three');
  restoreFiles(records.slice(2), directory, [project]);
  expect(readFileSync(file('a'), 'utf8')).toBe('two');
});

test('a directory that is gone is made again', async () => {
  const { project, directory, records, file, edit } = create();
  mkdirSync(file('deep/er'), { recursive: true });
  writeFileSync(file('deep/er/a'), 'one');
  await edit('deep/er/a', 'two');
  rmSync(file('deep'), { recursive: true });
  restoreFiles(records, directory, [project]);
  expect(readFileSync(file('deep/er/a'), 'utf8')).toBe('one');
});

test('a link in the way, at the file or in its directories, is never followed out', async () => {
  const { root, project, directory, records, file, edit } = create();
  mkdirSync(file('sub'));
  for (const name of ['plain', 'sub/inner', 'gone']) {
    writeFileSync(file(name), 'one');
    await edit(name, 'two');
  }
  const outside = join(root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'inner'), 'theirs');
  rmSync(file('plain'));
  symlinkSync(join(outside, 'inner'), file('plain'));
  rmSync(file('sub'), { recursive: true });
  symlinkSync(outside, file('sub'));
  const outcome = restoreFiles(records, directory, [project]);
  expect(outcome.restored).toEqual([file('gone')]);
  expect(outcome.problems.map(({ message }) => message)).toEqual([
    expect.stringContaining(file('plain')),
    expect.stringContaining(file('sub/inner')),
  ]);
  expect(readFileSync(join(outside, 'inner'), 'utf8')).toBe('theirs');
});

test('records that point elsewhere, and damaged bytes, are refused one by one', async () => {
  const { root, project, directory, records, file, edit } = create();
  writeFileSync(file('a'), 'one');
  await edit('a', 'two');
  writeFileSync(join(root, 'secret'), 'secret');
  const [record] = records;
  if (!record) throw new Error('no record');
  const outcome = restoreFiles(
    [
      { ...record, path: join(root, 'secret'), before: null },
      { ...record, path: `${project}/../secret`, before: null },
      { ...record, path: file('b'), before: '../secret' },
      { ...record, path: file('c'), before: '0'.repeat(64) },
    ],
    directory,
    [project],
  );
  expect(outcome.problems).toHaveLength(4);
  expect(readFileSync(join(root, 'secret'), 'utf8')).toBe('secret');
  writeFileSync(join(directory, record.before ?? ''), 'eno');
  expect(restoreFiles(records, directory, [project]).problems[0]?.message).toContain('damaged');
  expect(readFileSync(file('a'), 'utf8')).toBe('two');
});
