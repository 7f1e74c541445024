import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { hashBytes } from '../../src/lib/hash.ts';
import { failure, ok } from '../../src/lib/result.ts';
import type { FileHistoryRecord } from '../../src/protocol/record.ts';
import { createFileHistory } from '../../src/store/files/file-history.ts';
import { temporaryDirectory } from '../support/index.ts';

function create() {
  const root = temporaryDirectory().path;
  const project = join(root, 'project');
  const directory = join(root, 'history');
  mkdirSync(project);
  const records: FileHistoryRecord[] = [];
  const history = createFileHistory(directory, (record) => ok(void records.push(record)), manualClock(0));
  return { root, directory, records, history };
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

test('what the file will hold, its mode, the agent and the cause are kept beside it', async () => {
  const { directory, history, records } = create();
  const after = Buffer.from('new');
  await history.keep('/p/a', Buffer.from('old'), 'c1', {
    after,
    mode: 0o755,
    agentId: 'a1',
    cause: 'rewind',
  });
  expect(records).toMatchObject([
    { before: hashBytes('old'), after: hashBytes('new'), mode: 0o755, agentId: 'a1', cause: 'rewind' },
  ]);
  expect(readdirSync(directory).sort()).toEqual([hashBytes('old'), hashBytes('new')].sort());
});

test('SE1 of a session that is taken over between the content before a change and the one after it, no second one is kept', async () => {
  const { directory } = create();
  let looks = 0;
  const check = () => (looks++ === 0 ? ok(undefined) : failure('it was taken over'));
  const history = createFileHistory(directory, () => ok(undefined), manualClock(), check);
  const kept = await history.keep('/p/a', Buffer.from('before'), 'c1', { after: Buffer.from('after') });
  expect(kept).toMatchObject({ ok: false, problem: { message: 'it was taken over' } });
  expect(readdirSync(directory)).toEqual([hashBytes(Buffer.from('before'))]);
});
