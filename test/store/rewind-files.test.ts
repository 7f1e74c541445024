import { expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { hashBytes } from '../../src/lib/hash.ts';
import { SyncBatch } from '../../src/lib/sync-batch.ts';
import { readKept } from '../../src/store/files/kept-bytes.ts';
import { putBack } from '../../src/store/files/put-back.ts';
import { create } from './rewind-story.ts';

const read = (path: string) => readFileSync(path, 'utf8');

test('files go back to how they were before the first of the records', async () => {
  const { file, edit, goBack } = create();
  writeFileSync(file('old'), 'one');
  chmodSync(file('old'), 0o755);
  await edit('old', 'two');
  await edit('old', 'three');
  await edit('new', 'made');
  expect(await goBack()).toEqual({ old: 'restore', new: 'remove' });
  expect(read(file('old'))).toBe('one');
  expect(statSync(file('old')).mode & 0o777).toBe(0o755);
  expect(existsSync(file('new'))).toBe(false);
});

test('a later point restores to that point only', async () => {
  const { file, edit, goBack } = create();
  for (const text of ['one', 'two', 'three']) await edit('a', text);
  await goBack(2);
  expect(read(file('a'))).toBe('two');
});

test('going back twice is the same as going back once', async () => {
  const { file, edit, goBack } = create();
  writeFileSync(file('a'), 'one');
  await edit('a', 'two');
  await edit('b', 'new');
  await goBack();
  expect(await goBack()).toEqual({ a: 'same', b: 'same' });
  expect(read(file('a'))).toBe('one');
});

test('what a shell command did to an edited file goes back to any point', async () => {
  const { file, edit, shell, goBack, records } = create();
  writeFileSync(file('a'), 'zero');
  await edit('a', 'one');
  const point = records.length;
  shell(() => writeFileSync(file('a'), 'by the shell'));
  expect(records.at(-1)).toMatchObject({ cause: 'shell', before: hashBytes('one') });
  await edit('a', 'two');
  expect(await goBack(point)).toEqual({ a: 'restore' });
  expect(read(file('a'))).toBe('one');
  expect(await goBack(point + 1)).toEqual({ a: 'restore' });
  expect(read(file('a'))).toBe('by the shell');
});

test('a file that a command deleted comes back with its mode', async () => {
  const { file, edit, shell, goBack } = create();
  writeFileSync(file('run.sh'), '#!/bin/sh', { mode: 0o755 });
  await edit('run.sh', '#!/bin/bash');
  shell(() => rmSync(file('run.sh')));
  expect(await goBack()).toEqual({ 'run.sh': 'restore' });
  expect(read(file('run.sh'))).toBe('#!/bin/sh');
  expect(statSync(file('run.sh')).mode & 0o777).toBe(0o755);
});

test("what a person changed before a command ran is not taken for the command's work", async () => {
  const { file, edit, shell, records } = create();
  await edit('a', 'one');
  writeFileSync(file('a'), 'by hand');
  shell(() => {});
  expect(records.map(({ cause }) => cause)).toEqual([undefined, 'outside']);
});

test("an edit that runs beside a command stays the agent's own", async () => {
  const { edit, ledger, records } = create();
  await edit('a', 'one');
  ledger.observe?.('outside', 's1');
  await edit('a', 'two');
  ledger.observe?.('shell', 's1');
  expect(records.map(({ cause }) => cause)).toEqual([undefined, undefined]);
});

test('what somebody else changed since is refused, and overwritten only by force', async () => {
  const { file, edit, goBack, plan } = create();
  writeFileSync(file('a'), 'one');
  await edit('a', 'two');
  writeFileSync(file('a'), 'two and mine');
  expect(plan()).toMatchObject([{ action: 'refuse', needsForce: true }]);
  expect(await goBack()).toEqual({ a: 'refuse' });
  expect(read(file('a'))).toBe('two and mine');
  expect(await goBack(0, { force: true })).toEqual({ a: 'restore' });
  expect(read(file('a'))).toBe('one');
});

test("a person's change from between two prompts is not undone unasked either", async () => {
  const { file, edit, ledger, plan } = create();
  writeFileSync(file('a'), 'one');
  await edit('a', 'two');
  writeFileSync(file('a'), 'mine');
  ledger.observe?.('outside', '');
  await edit('a', 'mine and theirs');
  expect(plan()).toMatchObject([{ action: 'refuse', needsForce: true }]);
  // The point after it is not concerned.
  expect(plan(2)).toMatchObject([{ action: 'restore' }]);
});

/** A person's own change between two edits: `one`, the edit `two`, `mine`, the edit `mine and theirs`. */
async function ownBetweenEdits() {
  const story = create();
  const a = story.file('a');
  writeFileSync(a, 'one');
  await story.edit('a', 'two');
  writeFileSync(a, 'mine');
  story.ledger.observe?.('outside', '');
  await story.edit('a', 'mine and theirs');
  return { ...story, a, refused: [{ action: 'refuse', needsForce: true }] };
}

test("a person's change that a rewind brought back is not undone unasked by the next one", async () => {
  const { a, goBack, plan, refused } = await ownBetweenEdits();
  expect(await goBack(2)).toEqual({ a: 'restore' });
  expect(read(a)).toBe('mine');
  expect(plan()).toMatchObject(refused);
  expect(plan(0, { force: true })).toMatchObject([{ action: 'restore', isOthers: true }]);
});

test("nor after more edits, nor where undoing a forced rewind brought the person's change back", async () => {
  const { edit, goBack, plan, records, refused } = await ownBetweenEdits();
  await goBack(2);
  await edit('a', 'mine and other');
  expect(plan()).toMatchObject(refused);
  const undo = records.length;
  expect(await goBack(0, { force: true })).toEqual({ a: 'restore' });
  await edit('a', 'from one');
  expect(plan()).toMatchObject([{ action: 'restore' }]);
  expect(await goBack(undo)).toEqual({ a: 'restore' });
  expect(plan()).toMatchObject(refused);
});

test('a rewind that was cut off before it wrote a file took nothing away from it', async () => {
  const { a, goBack, plan, refused, edit, records } = await ownBetweenEdits();
  await goBack(0, { force: true });
  // As a kill between the record and the write leaves it.
  writeFileSync(a, 'mine and theirs');
  expect(plan()).toMatchObject(refused);
  await edit('a', 'later');
  expect(records.at(-1)).toMatchObject({ before: hashBytes('mine and theirs') });
  expect(plan()).toMatchObject(refused);
});

test('a change from while the session was closed is noticed when it goes on', async () => {
  const first = create();
  writeFileSync(first.file('a'), 'one');
  await first.edit('a', 'two');
  writeFileSync(first.file('a'), 'mine');
  const again = create(first.records, first.root);
  again.ledger.observe?.('outside', '');
  expect(again.records.at(-1)).toMatchObject({
    cause: 'outside',
    before: hashBytes('two'),
    after: hashBytes('mine'),
  });
});

test('a record from before contents were kept is never taken for proof that a file is ours', async () => {
  const first = create();
  writeFileSync(first.file('a'), 'two');
  const record = {
    type: 'file-history',
    timestamp: '',
    toolUseId: 'c',
    path: first.file('a'),
    before: null,
  } as const;
  const again = create([record], first.root);
  again.ledger.observe?.('outside', '');
  expect(again.records).toHaveLength(1);
  expect(again.plan()).toMatchObject([{ action: 'refuse', needsForce: true }]);
});

test('a directory that is gone is made again', async () => {
  const { file, edit, shell, goBack } = create();
  mkdirSync(file('deep/er'), { recursive: true });
  writeFileSync(file('deep/er/a'), 'one');
  await edit('deep/er/a', 'two');
  shell(() => rmSync(file('deep'), { recursive: true }));
  expect(await goBack()).toEqual({ 'deep/er/a': 'restore' });
  expect(read(file('deep/er/a'))).toBe('one');
});

test('a link in the way, at the file or in its directories, is never followed', async () => {
  const { root, file, edit, plan } = create();
  mkdirSync(file('sub'));
  for (const name of ['plain', 'sub/inner']) {
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
  expect(plan(0, { force: true })).toMatchObject([
    { action: 'refuse', isLink: true },
    { action: 'refuse', isLink: true },
  ]);
});

test('a directory, a hard link and bytes that are gone are refused one by one', async () => {
  const { directory, file, edit, plan } = create();
  for (const name of ['folder', 'linked', 'lost', 'fine']) {
    writeFileSync(file(name), `${name} one`);
    await edit(name, 'two');
  }
  rmSync(file('folder'));
  mkdirSync(file('folder'));
  writeFileSync(file('folder/inside'), 'unknown');
  linkSync(file('linked'), file('other-name'));
  rmSync(join(directory, hashBytes('lost one')));
  expect(plan(0, { force: true }).map(({ action }) => action)).toEqual([
    'refuse',
    'refuse',
    'refuse',
    'restore',
  ]);
});

test('records that point outside the working directories are refused', async () => {
  const { root, records, plan, file } = create();
  const base = { type: 'file-history', timestamp: '', toolUseId: 'c', before: null } as const;
  for (const path of [join(root, 'secret'), 'relative', `${file('x')}/../../secret`])
    records.push({ ...base, path });
  expect(plan(0, { force: true }).map(({ action }) => action)).toEqual(['refuse', 'refuse', 'refuse']);
});

test('kept bytes that were damaged are not written', async () => {
  const { directory, file, edit } = create();
  writeFileSync(file('a'), 'one');
  await edit('a', 'two');
  writeFileSync(join(directory, hashBytes('one')), 'eno');
  expect(readKept(directory, hashBytes('one'))).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining('damaged') },
  });
});

test('a file that changed between the look and the write is left alone', async () => {
  const { file, edit, plan } = create();
  writeFileSync(file('a'), 'one');
  await edit('a', 'two');
  const [one] = plan();
  writeFileSync(file('a'), 'at this moment');
  expect(putBack(file('a'), one?.present ?? { kind: 'nothing' }, null, new SyncBatch()).ok).toBe(false);
  expect(read(file('a'))).toBe('at this moment');
});

test('a file that grew too large to keep cannot be gone back to, and that is said', async () => {
  const { file, edit, shell, plan } = create();
  await edit('a', 'one');
  shell(() => writeFileSync(file('a'), Buffer.alloc(51 * 1024 * 1024)));
  expect(plan()).toMatchObject([{ action: 'refuse', reason: expect.stringContaining('too large') }]);
});
