import { expect, test } from 'bun:test';
import {
  appendFileSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { memoryDisk } from '../../src/lib/files/memory-disk.ts';
import { type Damage, openJsonlWriter, readJsonl, readJsonlTail } from '../../src/lib/jsonl/jsonl.ts';
import { temporaryDirectory } from '../support/index.ts';

const { path: directory } = temporaryDirectory();
let files = 0;
const freshPath = () => join(directory, `${++files}.jsonl`);

function writerOf(path: string) {
  const writer = openJsonlWriter(path, 'either');
  if (!writer.ok) throw new Error(writer.problem.message);
  return writer.value;
}

async function readAll(path: string) {
  const records: Record<string, unknown>[] = [];
  const damage: Damage[] = [];
  const result = await readJsonl(path, {
    onRecord: (record) => void records.push(record),
    onDamage: (one) => void damage.push(one),
  });
  expect(result.ok).toBe(true);
  return { records, damage };
}

test('what is appended is read back, one line each, in a private file', async () => {
  const path = freshPath();
  const writer = writerOf(path);
  writer.append({ text: 'a\nb\u2028' });
  writer.append({ text: 'ü😀' });
  writer.close();
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3);
  expect(await readAll(path)).toEqual({ records: [{ text: 'a\nb\u2028' }, { text: 'ü😀' }], damage: [] });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a file that exists is not created a second time', () => {
  const path = freshPath();
  writeFileSync(path, '');
  expect(openJsonlWriter(path, 'create').ok).toBe(false);
  expect(openJsonlWriter(freshPath(), 'existing').ok).toBe(false);
});

for (const [name, tail] of [
  ['half a line', '{"a":'],
  ['NULs', '\0\0\0\0'],
  ['a whole record without its newline', '{"whole":1}'],
]) {
  test(`a record after a tail of ${name} is readable`, async () => {
    const path = freshPath();
    writeFileSync(path, `{"first":1}\n${tail}`);
    const writer = writerOf(path);
    writer.append({ next: 1 });
    writer.append({ last: 1 });
    const { records } = await readAll(path);
    expect(records.slice(-2)).toEqual([{ next: 1 }, { last: 1 }]);
    expect(records[0]).toEqual({ first: 1 });
  });
}

test('bad lines and NUL blocks are skipped and told with their place', async () => {
  const path = freshPath();
  const lines = ['{"a":1}', '{"broken":', '[1]', '\0\0\0{"b":2}', '', '{"c":3}\0\0', '\xff'];
  writeFileSync(path, Buffer.from(`${lines.join('\n')}\n{"d":4}`, 'latin1'));
  const { records, damage } = await readAll(path);
  expect(records).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }, { d: 4 }]);
  expect(damage).toEqual([
    { line: 2, offset: 8, length: 10, reason: 'incomplete JSON' },
    { line: 3, offset: 19, length: 3, reason: 'not a JSON object' },
    { line: 4, offset: 23, length: 3, reason: 'a block of NUL bytes' },
    { line: 6, offset: 42, length: 2, reason: 'a block of NUL bytes' },
    { line: 7, offset: 45, length: 1, reason: 'not UTF-8' },
  ]);
});

test('lines across chunk borders are read whole, characters of several bytes too', async () => {
  const path = freshPath();
  const writer = writerOf(path);
  const records = Array.from({ length: 30 }, (_, index) => ({ index, text: '€'.repeat(index * 3001) }));
  for (const record of records) writer.append(record);
  expect((await readAll(path)).records).toEqual(records);
  const tail = readJsonlTail(path, 1000);
  expect(tail).toMatchObject({ ok: true, value: { records, fromStart: true, damage: [] } });
});

test('a reader that has had enough stops', async () => {
  const path = freshPath();
  writeFileSync(path, '{"a":1}\n{"a":2}\n{"a":3}\n');
  const seen: unknown[] = [];
  await readJsonl(path, { onRecord: (record) => seen.push(record) < 2, onDamage: () => {} });
  expect(seen).toEqual([{ a: 1 }, { a: 2 }]);
});

test('a link in the place of the file is refused, and its target stays as it is', () => {
  const [target, link] = [freshPath(), freshPath()];
  writeFileSync(target, 'theirs', { mode: 0o640 });
  symlinkSync(target, link);
  for (const how of ['either', 'existing'] as const)
    expect(openJsonlWriter(link, how)).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining(`${link}: the path contains symbolic links`) },
    });
  expect([readFileSync(target, 'utf8'), statSync(target).mode & 0o777]).toEqual(['theirs', 0o640]);
});

test('a missing file is a failure that names it', async () => {
  const result = await readJsonl('/nowhere/x.jsonl', { onRecord: () => undefined, onDamage: () => {} });
  expect(result).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining('/nowhere/x.jsonl') },
  });
});

test('the tail is read without the rest of the file', () => {
  const path = freshPath();
  writeFileSync(path, '{"first":1}\n');
  truncateSync(path, 8 * 1024 ** 3);
  appendFileSync(path, '\n{"a":1}\n{"a":2}\n{"a":3}\n');
  const tail = readJsonlTail(path, 2);
  expect(tail).toMatchObject({ ok: true, value: { records: [{ a: 2 }, { a: 3 }], fromStart: false } });
  if (tail.ok) expect(tail.value.bytesRead).toBeLessThan(100_000);
});

test('the tail is read back to the record that is looked for, past damage', () => {
  const path = freshPath();
  writeFileSync(path, '{"a":1}\n{"stop":1}\n{bad\n{"a":2}\n\0\0{"a":3}\n{"torn');
  const tail = readJsonlTail(path, (record) => 'stop' in record);
  expect(tail).toMatchObject({
    ok: true,
    value: { records: [{ stop: 1 }, { a: 2 }, { a: 3 }], fromStart: false },
  });
  if (tail.ok) expect(tail.value.damage.map((one) => one.offset)).toEqual([19, 32, 42]);
});

test('a tail read stays within its limit of bytes', () => {
  const path = freshPath();
  const writer = writerOf(path);
  for (let index = 0; index < 100; index++) writer.append({ index, text: 'x'.repeat(5000) });
  const tail = readJsonlTail(path, () => false, 100_000);
  if (!tail.ok) throw new Error(tail.problem.message);
  expect(tail.value.bytesRead).toBeLessThan(200_000);
  expect(tail.value.records.at(-1)).toMatchObject({ index: 99 });
  expect(tail.value.fromStart).toBe(false);
});

test('an empty file has an empty tail', () => {
  const path = freshPath();
  writeFileSync(path, '');
  expect(readJsonlTail(path, 5)).toMatchObject({ ok: true, value: { records: [], fromStart: true } });
});

test('two processes append to one file and every record is whole', async () => {
  const path = freshPath();
  const code = `import { openJsonlWriter } from ${JSON.stringify(join(import.meta.dir, '../../src/lib/jsonl/jsonl.ts'))};
    const writer = openJsonlWriter(process.argv[1], 'either').value;
    for (let index = 0; index < 300; index++) writer.append({ who: process.argv[2], index, text: 'x'.repeat(index * 40) });`;
  const children = ['a', 'b'].map((who) => Bun.spawn([process.execPath, '-e', code, path, who]));
  expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0]);
  const { records, damage } = await readAll(path);
  expect(damage).toEqual([]);
  for (const who of ['a', 'b']) {
    expect(records.filter((record) => record.who === who).map((record) => record.index)).toEqual([
      ...Array(300).keys(),
    ]);
  }
});

test('a closed writer refuses instead of writing to whatever has its number now', () => {
  const path = freshPath();
  const writer = writerOf(path);
  writer.close();
  writer.close();
  expect(writer.append({ a: 1 })).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining(path) },
  });
});

test('a file that was deleted, replaced or shortened while it was open takes no more records, and says so', () => {
  for (const how of ['deleted', 'replaced', 'shortened'] as const) {
    const path = join(temporaryDirectory().path, 'a.jsonl');
    const opened = openJsonlWriter(path, 'create');
    if (!opened.ok) throw new Error(opened.problem.message);
    expect(opened.value.append({ a: 1 }).ok).toBe(true);
    if (how !== 'shortened') rmSync(path);
    if (how !== 'deleted') writeFileSync(path, '');
    expect(opened.value.append({ a: 2 })).toMatchObject({
      ok: false,
      problem: {
        message: `Cannot write ${path}: it was ${how} while it was open, so nothing more is stored there.`,
      },
    });
    opened.value.close();
  }
});

test('the same on a disk in memory: a torn tail is closed off, and read forwards and backwards', async () => {
  const disk = memoryDisk();
  const torn = disk.open('/log', { access: 'append', create: 'new' });
  torn.write(Buffer.from('{"a":1}\n{"half":'), 0);
  torn.close();
  const writer = openJsonlWriter('/log', 'existing', disk);
  expect(writer.ok && writer.value.append({ b: 2 }).ok).toBe(true);
  const records: unknown[] = [];
  const damage: unknown[] = [];
  const reader = {
    onRecord: (record: unknown) => void records.push(record),
    onDamage: (one: unknown) => void damage.push(one),
  };
  expect((await readJsonl('/log', reader, disk)).ok).toBe(true);
  expect(records).toEqual([{ a: 1 }, { b: 2 }]);
  expect(damage).toHaveLength(1);
  expect(readJsonlTail('/log', 1, undefined, undefined, disk)).toMatchObject({
    ok: true,
    value: { records: [{ b: 2 }] },
  });
});

test('an append whose file cannot be looked at is a failure with its name, not a throw', () => {
  const disk = memoryDisk();
  const writer = openJsonlWriter('/log.jsonl', 'create', disk);
  if (!writer.ok) throw new Error(writer.problem.message);
  const { stat } = disk;
  disk.stat = () => {
    throw Object.assign(new Error('EIO'), { code: 'EIO' });
  };
  expect(writer.value.append({ a: 1 })).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining('/log.jsonl') },
  });
  disk.stat = stat;
  expect(writer.value.append({ a: 2 }).ok).toBe(true);
});
