import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Disk, DiskFile } from '../../src/lib/files/disk.ts';
import { writeNew } from '../../src/lib/files/small-files.ts';
import { formatProcessName } from '../../src/lib/files/temporary-names.ts';
import { randomIds } from '../../src/lib/ids.ts';
import type { BoardItem } from '../../src/protocol/index.ts';
import { listReady } from '../../src/team/board/links.ts';
import { alice, boardGround, bob, lead, need, refusal } from './board-support.ts';

test('TM6 a new item is there for every process, with an id that needs no counter', () => {
  const ground = boardGround();
  const made = need(ground.open().create({ subject: 'Write the parser', description: 'In C.' }, lead));
  expect(made.id).toMatch(/^[a-z0-9]{4}$/);
  expect(ground.open().list()).toEqual([made]);
  expect(made).toMatchObject({ revision: 1, status: 'pending', owner: null, createdBy: 'team-lead' });
});

test('TM6 only one of two that claim an item wins', () => {
  const ground = boardGround();
  const [one, other] = [ground.open(), ground.open()];
  const { id } = need(one.create({ subject: 'A' }, lead));
  expect(need(one.claim(id, alice))).toMatchObject({
    owner: 'alice',
    claimedBy: '1-a',
    status: 'in_progress',
  });
  expect(refusal(other.claim(id, bob))).toBe(`${id} "A" is claimed by alice.`);
});

test('TM6 a claim ends with the incarnation that made it', () => {
  const ground = boardGround();
  const board = ground.open();
  const { id } = need(board.create({ subject: 'A' }, lead));
  need(board.claim(id, alice));
  ground.dead.add('alice 1-a');
  expect(board.find(id)).toMatchObject({ status: 'pending', owner: null });
  expect(listReady(board.list()).map((item) => item.id)).toEqual([id]);
  expect(need(board.claim(id, bob))).toMatchObject({ owner: 'bob', claimedBy: '1-b' });
});

test('TM6 a blocked item cannot be claimed; when its blocker is done, it can', () => {
  const board = boardGround().open();
  const first = need(board.create({ subject: 'First' }, lead)).id;
  const second = need(board.create({ subject: 'Second' }, lead)).id;
  expect(need(board.change(second, { addBlockedBy: [first] }, lead)).fields).toEqual(['blockedBy']);
  expect(board.find(first)?.links).toEqual([{ kind: 'blocks', to: second }]);
  expect(listReady(board.list()).map(({ id }) => id)).toEqual([first]);
  expect(refusal(board.claim(second, alice))).toBe(
    `${second} "Second" is blocked by ${first} "First" (not claimed).`,
  );
  need(board.claim(first, bob));
  need(board.complete(first, bob));
  expect(need(board.claim(second, alice)).owner).toBe('alice');
});

test('TM6 whoever follows the board hears of changes and of items that became unblocked, in every process', () => {
  const ground = boardGround();
  const [one, other] = [ground.open(), ground.open()];
  const heard: string[] = [];
  const note = (who: string) => ({
    changed: (item: BoardItem, before?: BoardItem) =>
      heard.push(`${who} ${item.subject} ${before?.revision ?? 0}>${item.revision}`),
    unblocked: (item: BoardItem) => heard.push(`${who} ${item.subject} free`),
  });
  const first = need(one.create({ subject: 'First' }, lead)).id;
  const second = need(one.create({ subject: 'Second', owner: 'alice' }, lead)).id;
  need(one.change(first, { addBlocks: [second] }, lead));
  one.watch(note('one'));
  other.watch(note('other'));
  need(one.claim(first, bob));
  need(one.complete(first, bob));
  other.look();
  expect(heard).toEqual([
    'one First 2>3',
    'one First 3>4',
    'one Second free',
    'other First 2>4',
    'other Second free',
  ]);
});

test('links that close a loop are refused, and the loop is named', () => {
  const board = boardGround().open();
  const [a = '', b = '', c = ''] = ['A', 'B', 'C'].map((subject) => need(board.create({ subject }, lead)).id);
  need(board.change(a, { addBlocks: [b] }, lead));
  need(board.change(b, { addBlocks: [c] }, lead));
  const before = board.list();
  expect(refusal(board.change(c, { addBlocks: [a] }, lead))).toBe(
    `That link would close a loop: ${c} blocks ${a} blocks ${b} blocks ${c}.`,
  );
  expect(board.list().map(({ links }) => links)).toEqual(before.map(({ links }) => links));
  expect(refusal(board.change(a, { addBlockedBy: [a] }, lead))).toContain('cannot be linked to itself');
});

test('links of four kinds are kept, and removed in both directions', () => {
  const board = boardGround().open();
  const [a = '', b = ''] = ['A', 'B'].map((subject) => need(board.create({ subject }, lead)).id);
  const addLinks = (['blocks', 'parent', 'related', 'discovered-from'] as const).map((kind) => ({
    kind,
    to: b,
  }));
  expect(need(board.change(a, { addLinks }, lead)).item.links).toEqual(addLinks);
  need(board.change(b, { removeLinks: [a] }, lead));
  expect(board.find(a)?.links).toEqual([]);
});

test('an item that belongs to another is changed by its owner and the leader only', () => {
  const board = boardGround().open();
  const { id } = need(board.create({ subject: 'A' }, lead));
  need(board.change(id, { owner: 'alice' }, lead));
  expect(refusal(board.claim(id, bob))).toBe(`${id} "A" belongs to alice.`);
  need(board.claim(id, alice));
  for (const change of [
    { status: 'completed' },
    { status: 'pending' },
    { status: 'deleted' },
    { owner: 'bob' },
  ] as const)
    expect(refusal(board.change(id, change, bob))).toBe(`${id} "A" is claimed by alice.`);
  expect(need(board.change(id, { description: 'More.' }, bob)).item).toMatchObject({
    owner: 'alice',
    changedBy: 'bob',
  });
  expect(refusal(board.change(id, { status: 'in_progress' }, lead))).toContain('is claimed by alice');
  expect(need(board.change(id, { owner: 'bob' }, lead)).item).toMatchObject({
    owner: 'bob',
    status: 'in_progress',
  });
});

test('metadata is merged, and null removes a key', () => {
  const board = boardGround().open();
  const { id } = need(board.create({ subject: 'A', metadata: { a: 1, b: 2 } }, lead));
  const done = need(board.change(id, { metadata: { b: null, c: 3 } }, lead));
  expect(done.item.metadata).toEqual({ a: 1, c: 3 });
  expect(done.fields).toEqual(['metadata']);
});

test('a change that changes nothing writes nothing', () => {
  const board = boardGround().open();
  const { id } = need(board.create({ subject: 'A' }, lead));
  expect(need(board.change(id, { subject: 'A', status: 'pending' }, lead))).toMatchObject({
    fields: [],
    item: { revision: 1 },
  });
});

test('a deleted item is gone for everybody, and blocks nothing', () => {
  const board = boardGround().open();
  const [a = '', b = ''] = ['A', 'B'].map((subject) => need(board.create({ subject }, lead)).id);
  need(board.change(a, { addBlocks: [b] }, lead));
  need(board.change(a, { status: 'deleted' }, lead));
  expect(board.list().map(({ id }) => id)).toEqual([b]);
  expect(refusal(board.claim(a, alice))).toBe(`There is no item "${a}" on the board.`);
  expect(listReady(board.list()).map(({ id }) => id)).toEqual([b]);
});

test('a damaged file is put away and named once, and the revision before it counts', () => {
  const ground = boardGround();
  const told: string[] = [];
  const board = ground.open({ told: (problem) => told.push(problem) });
  const { id } = need(board.create({ subject: 'A' }, lead));
  const items = join(ground.directory, 'items');
  writeNew(join(items, `${id}.2.json`), '{"format": 1,', ground.machine.disk);
  writeNew(join(items, 'zzzz.1.json'), '[]', ground.machine.disk);
  writeNew(join(items, 'notes.json'), '{}', ground.machine.disk);
  expect(board.list()).toMatchObject([{ id, revision: 1 }]);
  expect(board.list()).toHaveLength(1);
  expect(told).toHaveLength(3);
  expect(told.join('\n')).toContain(
    `${id}.2.json is not a usable board item (it is not JSON). It was moved to`,
  );
  expect(ground.machine.disk.list(join(ground.directory, 'quarantine'))).toHaveLength(3);
  expect(need(board.claim(id, alice))).toMatchObject({ revision: 2, owner: 'alice' });
});

test('a file of a later version is left alone', () => {
  const ground = boardGround();
  const board = ground.open({ told: (problem) => expect(problem).toBe('') });
  need(board.create({ subject: 'A' }, lead));
  writeNew(join(ground.directory, 'items', 'zzzz.1.json'), '{"format": 2}', ground.machine.disk);
  expect(board.list()).toHaveLength(1);
  expect(ground.machine.disk.list(join(ground.directory, 'items'))).toContain('zzzz.1.json');
});

test('old revisions are removed, and nothing is left aside', () => {
  const ground = boardGround();
  const board = ground.open();
  const { id } = need(board.create({ subject: 'A' }, lead));
  for (let turn = 0; turn < 20; turn++) need(board.change(id, { subject: `A ${turn}` }, lead));
  expect(ground.machine.disk.list(join(ground.directory, 'items'))).toHaveLength(4);
  expect(ground.machine.disk.list(join(ground.directory, 'aside'))).toEqual([]);
  expect(board.find(id)).toMatchObject({ revision: 21, subject: 'A 19' });
});

test('text that is too long is refused with what to do', () => {
  const board = boardGround().open();
  expect(refusal(board.create({ subject: 'x'.repeat(501) }, lead))).toContain('longer than 500 characters');
  expect(refusal(board.create({ subject: ' ' }, lead))).toContain('is empty');
  expect(refusal(board.create({ subject: 'A', metadata: { a: 'x'.repeat(9_000) } }, lead))).toContain(
    '8000 bytes',
  );
});

test('on a full disk nothing is half-written, and the problem says so', () => {
  const ground = boardGround();
  const { id } = need(ground.open().create({ subject: 'A' }, lead));
  const full = { ...ground.machine, disk: fullDisk(ground.machine.disk) };
  const board = ground.open({ machine: full });
  expect(refusal(board.create({ subject: 'B' }, lead))).toContain('the disk is full');
  expect(refusal(board.claim(id, alice))).toContain('the disk is full');
  expect(ground.open().list()).toMatchObject([{ id, revision: 1, owner: null }]);
  expect(ground.machine.disk.list(join(ground.directory, 'aside'))).toEqual([]);
});

/** Takes half of what is written. */
function fullDisk(disk: Disk): Disk {
  const isFull = () => {
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  };
  return {
    ...disk,
    open(path, how) {
      const file = disk.open(path, how);
      if (how.access === 'read') return file;
      let count = 0;
      const write = (bytes: Uint8Array, start: number) =>
        count++ === 0 ? file.write(bytes.subarray(0, bytes.length >> 1), start) : isFull();
      return { ...file, write, close: () => file.close(), sync: () => file.sync() } as DiskFile;
    },
  };
}

test('what a killed process left aside is removed by the next writer', () => {
  const ground = boardGround();
  const board = ground.open();
  need(board.create({ subject: 'A' }, lead));
  const aside = join(ground.directory, 'aside');
  const name = formatProcessName({ pid: 4_000_000, start: '1' }, randomIds);
  writeNew(join(aside, `${name}.new`), '{', ground.machine.disk);
  need(ground.open().create({ subject: 'B' }, lead));
  expect(ground.machine.disk.list(aside)).toEqual([]);
});
