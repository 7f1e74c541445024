import { beforeEach, expect, test } from 'bun:test';
import { linkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { type Leases, openLeases } from '../../src/workspace/leases.ts';
import { temporaryDirectory } from '../support/index.ts';

let leases: Leases;
let changes: (string | null)[];

beforeEach(() => {
  changes = [];
  leases = openLeases({ clock: manualClock(), free: ['/scratch'], changed: (id) => changes.push(id) });
  leases.enter({ agentId: null, type: 'lead' });
  start('a1');
  start('a2');
});

function start(agentId: string, by: string | null = null): void {
  leases.enter({ agentId, type: 'writer', description: `Work of ${agentId}` }, by);
}

function write(agentId: string | null, path = '/w/file'): boolean {
  const taken = leases.take(agentId, path, 'before');
  if (taken.ok) taken.value.written();
  return taken.ok;
}

test('CO7 of two agents that come in the same tick one is first', () => {
  const first = leases.take('a1', '/w/file', null);
  const second = leases.take('a2', '/w/file', null);
  expect(first.ok).toBe(true);
  expect(second).toMatchObject({ ok: false, problem: { holder: { agentId: 'a1' }, writes: 0 } });
});

test('CO7 the refusal names the holder and what the file held before', () => {
  write('a1');
  expect(leases.conflict('a2', '/w/file')).toEqual({
    path: '/w/file',
    holder: { agentId: 'a1', type: 'writer', description: 'Work of a1' },
    since: '1970-01-01T00:00:00.000Z',
    writes: 1,
    before: 'before',
  });
});

test('CO7 a holder goes on writing', () => {
  expect([write('a1'), write('a1')]).toEqual([true, true]);
  expect(leases.list()).toMatchObject([{ path: '/w/file', writes: 2 }]);
});

test('CO7 the lead is refused what a live agent of its own writes', () => {
  write('a1');
  expect(write(null)).toBe(false);
});

test('CO7 a lease ends with its agent', () => {
  write('a1');
  leases.leave('a1');
  expect(write('a2')).toBe(true);
  expect(changes).toEqual(['a1', 'a1', 'a2']);
});

test('CO7 what was not written in the end is given back', () => {
  const taken = leases.take('a1', '/w/file', null);
  if (taken.ok) taken.value.notWritten();
  expect(write('a2')).toBe(true);
  expect(changes).toEqual(['a2']);
});

test('CO7 a write that failed does not end the lease of an earlier one', () => {
  write('a1');
  const again = leases.take('a1', '/w/file', null);
  if (again.ok) again.value.notWritten();
  expect(write('a2')).toBe(false);
});

test('CO7 who is started after a write may go on with it, and then holds it', () => {
  write(null);
  expect(write('a1')).toBe(false);
  start('a3');
  expect(write('a3')).toBe(true);
  expect(write(null)).toBe(false);
  leases.leave('a3');
  expect(write(null)).toBe(true);
});

test('CO7 a message hands over what was written before it, and nothing later', () => {
  write(null);
  leases.told('a1', null);
  expect(write('a1')).toBe(true);
  write(null, '/w/other');
  expect(write('a1', '/w/other')).toBe(false);
});

test('CO7 work is handed down through several agents', () => {
  write(null);
  start('a3');
  start('a4', 'a3');
  expect(write('a4')).toBe(true);
});

test('CO7 who was not told by anybody that knew is refused, however late it was started', () => {
  write(null);
  start('a4', 'a1');
  expect(write('a4')).toBe(false);
});

test('CO7 two agents that were both given a file do not both write it', () => {
  write(null);
  start('a3');
  start('a4');
  expect([write('a3'), write('a4')]).toEqual([true, false]);
});

test('CO7 a parent that ends leaves the lease to its child', () => {
  write('a1');
  start('a3', 'a1');
  write('a3');
  leases.leave('a1');
  expect(write('a2')).toBe(false);
});

test('CO7 an agent that goes on takes leases again only by writing', () => {
  write('a1');
  leases.leave('a1');
  start('a1');
  expect(leases.list('a1')).toEqual([]);
  expect(write('a2')).toBe(true);
});

test('CO7 nothing is leased in the scratchpad', () => {
  expect([write('a1', '/scratch/notes'), write('a2', '/scratch/notes')]).toEqual([true, true]);
  expect(leases.list()).toEqual([]);
});

test('CO7 another name of the same file is the same file', () => {
  const { path } = temporaryDirectory();
  writeFileSync(join(path, 'one'), '');
  expect(write('a1', join(path, 'one'))).toBe(true);
  linkSync(join(path, 'one'), join(path, 'two'));
  expect(write('a2', join(path, 'two'))).toBe(false);
});
