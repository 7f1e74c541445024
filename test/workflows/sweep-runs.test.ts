import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimLease } from '../../src/lib/leases/claim-lease.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { locateAnchors } from '../../src/store/layout.ts';
import { locateRuns } from '../../src/workflows/read-journal.ts';
import { sweepRuns } from '../../src/workflows/sweep-runs.ts';
import { temporaryDirectory } from '../support/index.ts';

const day = 86_400;
const setAge = (path: string, days: number) => utimesSync(path, (100 - days) * day, (100 - days) * day);

function openHome() {
  const home = temporaryDirectory().path;
  const runs = locateRuns(home);
  const add = (runId: string, days: number, ...records: object[]) => {
    const directory = join(runs, runId);
    mkdirSync(directory, { recursive: true });
    const journal = join(directory, 'journal.jsonl');
    const lines = [{ type: 'cadre-workflow-run', runId }, ...records].map((record) => JSON.stringify(record));
    writeFileSync(journal, `${lines.join('\n')}\n`);
    setAge(journal, days);
    setAge(directory, days);
    return directory;
  };
  const sweep = () => sweepRuns(runs, { olderThanDays: 30, now: 100 * day * 1000, machine: systemMachine });
  return { home, runs, add, sweep };
}

const opened = { type: 'opened', epoch: 1 };
const close = (status: string) => ({ type: 'closed', epoch: 1, status });

test('old runs are removed with their anchors, whether they ended or were cut off; newer ones stay', () => {
  const { home, runs, add, sweep } = openHome();
  add('rdone1', 31, opened, close('completed'));
  add('rcut1', 31, opened);
  add('rnew1', 29, opened, close('completed'));
  const anchors = locateAnchors(home, 'rdone1');
  mkdirSync(join(anchors, '..'), { recursive: true });
  writeFileSync(anchors, '{}\n');
  expect(sweep()).toEqual({ removed: 2, problems: [] });
  expect(readdirSync(runs)).toEqual(['rnew1']);
  expect(existsSync(anchors)).toBe(false);
});

test('a suspended run stays, however old; one that was resumed and ended does not', () => {
  const { runs, add, sweep } = openHome();
  add('rwait1', 99, opened, close('suspended'));
  add('rback1', 99, opened, close('suspended'), opened, close('completed'));
  sweep();
  expect(readdirSync(runs)).toEqual(['rwait1']);
});

test('a run that a process has stays', () => {
  const { runs, add, sweep } = openHome();
  const directory = add('rheld1', 99, opened);
  const claimed = claimLease({ directory, machine: systemMachine }, 'owner');
  setAge(directory, 99);
  expect(sweep().removed).toBe(0);
  if (claimed.ok && claimed.value.state === 'won') claimed.value.lease.release();
  setAge(directory, 99);
  expect(sweep().removed).toBe(1);
  expect(readdirSync(runs)).toEqual([]);
});

test('links and other names are left alone', () => {
  const { runs, add, sweep } = openHome();
  const elsewhere = add('rreal1', 29, opened);
  symlinkSync(elsewhere, join(runs, 'rlink1'));
  mkdirSync(join(runs, 'notes'));
  setAge(join(runs, 'notes'), 99);
  expect(sweep().removed).toBe(0);
  expect(readdirSync(runs).toSorted()).toEqual(['notes', 'rlink1', 'rreal1']);
});
