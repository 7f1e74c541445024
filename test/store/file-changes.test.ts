import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileHistoryRecord } from '../../src/protocol/record.ts';
import { listFileChanges, readFileState } from '../../src/store/files/file-changes.ts';
import { keepBytes } from '../../src/store/files/kept-bytes.ts';
import { temporaryDirectory } from '../support/index.ts';

const record = (path: string, more: Partial<FileHistoryRecord>): FileHistoryRecord => ({
  ...{ type: 'file-history', timestamp: '2026-01-01T00:00:00Z', toolUseId: 't', path, before: null },
  ...more,
});

test('a file that changed several times is one change, from its first state to its last', () => {
  const changes = listFileChanges([
    record('/a', { before: null, after: 'one' }),
    record('/b', { before: 'x', after: 'y' }),
    record('/a', { before: 'one', after: 'two' }),
    record('/b', { before: 'y', after: 'x' }),
    record('/c', { before: 'x', after: 'y', cause: 'outside' }),
  ]);
  expect(changes).toEqual([{ path: '/a', before: null, after: 'two' }]);
});

test('the changes of one agent are found by its records', () => {
  const records = [
    record('/a', { after: 'one', agentId: 'a1' }),
    record('/b', { after: 'two' }),
    record('/a', { before: 'one', after: 'three' }),
  ];
  expect(listFileChanges(records, ({ agentId }) => agentId === 'a1')).toEqual([
    { path: '/a', before: null, after: 'one' },
  ]);
});

test('a state is read from the kept bytes, or from the file as it is now', () => {
  using place = temporaryDirectory();
  const directory = place.path;
  const path = join(directory, 'now.txt');
  writeFileSync(path, 'now\n');
  const kept = keepBytes(join(directory, 'kept'), Buffer.from('then\n'));
  const hash = kept.ok ? kept.value : '';
  const read = (state: string | null | undefined) => readFileState(path, state, join(directory, 'kept'));
  expect(read(hash)).toEqual({ text: 'then\n' });
  expect(read(undefined)).toEqual({ text: 'now\n' });
  expect(read(null)).toBeNull();
  expect(read('link:target')).toEqual({ text: 'target\n' });
  expect(read('0'.repeat(64))).toHaveProperty('hidden');
});
