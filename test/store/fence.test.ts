import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { memoryDisk } from '../../src/lib/files/memory-disk.ts';
import { failure, ok } from '../../src/lib/result.ts';
import { closeToEarlier, fenceTranscript, readNewestEpoch } from '../../src/store/fence.ts';
import { loadForResume } from '../../src/store/resume-read.ts';
import { createTranscript, loadTranscript, reopenTranscript } from '../../src/store/transcript.ts';
import { temporaryDirectory } from '../support/index.ts';
import { assistant, headerFor, user } from './build.ts';

const disk = memoryDisk();
let files = 0;
const freshPath = () => `/projects/${++files}.jsonl`;

function writeAs(path: string, epoch: number, isHeld = () => true) {
  const opened = disk.stat(path)
    ? reopenTranscript(path, disk)
    : createTranscript(path, { ...headerFor(), epoch }, disk);
  if (!opened.ok) throw new Error(opened.problem.message);
  const check = () => (isHeld() ? ok(undefined) : failure('taken over by process 2'));
  return fenceTranscript(opened.value, { epoch, pid: epoch, check });
}

async function load(path: string) {
  const loaded = await loadTranscript(path, disk);
  if (!loaded.ok) throw new Error(loaded.problem.message);
  return loaded.value;
}

test('SE1 every record carries the epoch of its writer, and nothing is written once it has lost the right', async () => {
  const path = freshPath();
  let isHeld = true;
  const writer = writeAs(path, 1, () => isHeld);
  expect(writer.append(user('a', null, 'Hello')).ok).toBe(true);
  isHeld = false;
  expect(writer.append(user('b', 'a', 'Lost'))).toMatchObject({
    ok: false,
    problem: { message: 'taken over by process 2' },
  });
  const { records, epoch } = await load(path);
  expect(records).toMatchObject([{ uuid: 'a', epoch: 1 }]);
  expect(epoch).toBe(1);
});

test('SE1 a writer that lost the right between the question and its write is told that it failed', () => {
  const answers = [true, false];
  const writer = writeAs(freshPath(), 1, () => answers.shift() ?? false);
  expect(writer.append(user('a', null, 'Hello'))).toMatchObject({
    ok: false,
    problem: { message: 'taken over by process 2' },
  });
});

test('SE1 a record that was written after a later epoch began is ignored, and told with its place', async () => {
  const path = freshPath();
  const paused = writeAs(path, 1);
  paused.append(user('a', null, 'Hello'));
  const fence = { epoch: 2, pid: 2, check: () => ok(undefined) };
  expect(closeToEarlier(path, fence, systemClock, disk).ok).toBe(true);
  paused.append(user('late', 'a', 'Too late'));
  writeAs(path, 2).append(assistant('b', 'a', 'Hi'));
  const { records, late, epoch } = await load(path);
  expect(records.map((record) => ('uuid' in record ? record.uuid : record.type))).toEqual([
    'a',
    'epoch',
    'b',
  ]);
  expect(late).toMatchObject([{ line: 4 }]);
  expect(epoch).toBe(2);
  expect(readNewestEpoch(path, disk)).toBe(2);
});

test('records of earlier versions, which have no epoch, are read wherever they are', async () => {
  const path = freshPath();
  writeAs(path, 3).append(user('a', null, 'Hello'));
  const plain = reopenTranscript(path, disk);
  if (plain.ok) plain.value.append(assistant('b', 'a', 'Hi'));
  const { records, late } = await load(path);
  expect(records).toHaveLength(2);
  expect(late).toEqual([]);
});

test('a long transcript with a late record is read as a whole, so that it is ignored there too', async () => {
  const path = `${temporaryDirectory().path}/long.jsonl`;
  const write = (epoch: number) => {
    const opened = epoch === 1 ? createTranscript(path, headerFor()) : reopenTranscript(path);
    if (!opened.ok) throw new Error(opened.problem.message);
    return fenceTranscript(opened.value, { epoch, pid: epoch, check: () => ok(undefined) });
  };
  const paused = write(1);
  paused.append(user('a', null, 'Hello'));
  const next = write(2);
  next.append({ type: 'epoch', timestamp: '', pid: 2, epoch: 2 });
  next.append(assistant('b', 'a', 'Hi'));
  paused.append(user('late', 'b', 'Too late'));
  next.append(user('c', 'b', 'More'));
  const loaded = await loadForResume(path, 1);
  if (!loaded.ok) throw new Error(loaded.problem.message);
  const uuids = loaded.value.records.flatMap((record) => ('uuid' in record ? [record.uuid] : []));
  expect(uuids).toEqual(['a', 'b', 'c']);
  expect(loaded.value.late).toHaveLength(1);
});
