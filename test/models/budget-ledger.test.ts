import { describe, expect, test } from 'bun:test';
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileLedger, ledgerPath } from '../../src/models/budget/file-ledger.ts';
import { type Ledger, memoryLedger } from '../../src/models/budget/ledger.ts';
import type { Limit, ReserveRecord, SettleRecord } from '../../src/models/budget/records.ts';
import { noUsage } from '../../src/protocol/index.ts';
import { temporaryDirectory } from '../support/index.ts';

const limit: Limit = { path: [], microUsd: 100 };

/** What every ledger does, whoever keeps it. */
function conforms(name: string, open: () => Ledger): void {
  describe(name, () => {
    test('a reservation that fits is open, and counts in every account above it', () => {
      const ledger = open();
      expect(ledger.append(reserve('a', 60, { path: ['x', 'y'] })).ok).toBe(true);
      expect(ledger.books.findStatus('a')).toBe('open');
      for (const path of [[], ['x'], ['x', 'y']])
        expect(ledger.books.totals(path)).toMatchObject({ openMicroUsd: 60, openTokens: 6, openCount: 1 });
      expect(ledger.books.totals(['z'])).toMatchObject({ openMicroUsd: 0, openCount: 0 });
    });

    test('one that does not fit is refused, and counts nowhere', () => {
      const ledger = open();
      ledger.append(reserve('a', 60));
      ledger.append(reserve('b', 41));
      expect(ledger.books.findStatus('b')).toBe('refused');
      ledger.append(reserve('c', 40));
      expect(ledger.books.findStatus('c')).toBe('open');
    });

    test('settling gives back the rest, once', () => {
      const ledger = open();
      ledger.append(reserve('a', 60));
      ledger.append(settle('a', 10));
      ledger.append(settle('a', 50));
      expect(ledger.books.totals([])).toMatchObject({ spentMicroUsd: 10, openMicroUsd: 0, openCount: 0 });
    });

    test('a limit in money refuses what has no price', () => {
      const ledger = open();
      ledger.append({ ...reserve('a', 1), microUsd: null });
      expect(ledger.books.findStatus('a')).toBe('refused');
    });

    test('a price that is found later is added to what was spent', () => {
      const ledger = open();
      ledger.append({ ...reserve('a', 1, { limits: [] }), microUsd: null });
      ledger.append({ ...settle('a', 1), microUsd: null });
      expect(ledger.books.unpriced).toHaveLength(1);
      ledger.append({ type: 'price', id: 'a', microUsd: 30 });
      ledger.append({ type: 'price', id: 'a', microUsd: 30 });
      expect(ledger.books.unpriced).toEqual([]);
      expect(ledger.books.totals([]).spentMicroUsd).toBe(30);
    });
  });
}

conforms('the ledger in memory', memoryLedger);
conforms('the ledger in a file', () => fileLedger(ledgerPath(temporaryDirectory().path)));

test('the file is made with the first record, for its owner alone', () => {
  const path = join(temporaryDirectory().path, 'session', 'ledger.jsonl');
  const ledger = fileLedger(path);
  expect(ledger.refresh().ok).toBe(true);
  expect(existsSync(path)).toBe(false);
  ledger.append(reserve('a', 1));
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('two writers of one file come to the same verdict, whoever asks', () => {
  const path = ledgerPath(temporaryDirectory().path);
  const [one, other] = [fileLedger(path), fileLedger(path)];
  one.append(reserve('a', 60));
  other.append(reserve('b', 60));
  one.refresh();
  for (const ledger of [one, other]) {
    expect(ledger.books.findStatus('a')).toBe('open');
    expect(ledger.books.findStatus('b')).toBe('refused');
  }
});

test('half a line that a crash left costs no record', () => {
  const path = ledgerPath(temporaryDirectory().path);
  const ledger = fileLedger(path);
  ledger.append(reserve('a', 1));
  appendFileSync(path, '{"type":"reserve","id":"tor');
  expect(ledger.append(reserve('b', 1)).ok).toBe(true);
  expect(ledger.books.findStatus('b')).toBe('open');
  expect(fileLedgerAgain(path).books.totals([]).openCount).toBe(2);
});

test('lines that are no sound records are passed over', () => {
  const path = ledgerPath(temporaryDirectory().path);
  const ledger = fileLedger(path);
  ledger.append(reserve('a', 10));
  const bad = [
    'null',
    '[]',
    'no json',
    '{"type":"later","id":"x"}',
    JSON.stringify({ ...settle('a', -5) }),
    JSON.stringify({ ...reserve('b', 5), tokens: 'many' }),
    JSON.stringify({ ...reserve('c', 5), limits: [{ path: [1] }] }),
  ];
  appendFileSync(path, `${bad.join('\n')}\n`);
  expect(ledger.refresh().ok).toBe(true);
  expect(ledger.books.totals([])).toMatchObject({ openMicroUsd: 10, openCount: 1, spentMicroUsd: 0 });
});

test('what is in the file is what was spent, for whoever opens it next', () => {
  const path = ledgerPath(temporaryDirectory().path);
  const ledger = fileLedger(path);
  ledger.append(reserve('a', 60));
  ledger.append(settle('a', 55));
  ledger.close();
  expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(2);
  expect(fileLedgerAgain(path).books.totals([]).spentMicroUsd).toBe(55);
});

function fileLedgerAgain(path: string): Ledger {
  const ledger = fileLedger(path);
  ledger.refresh();
  return ledger;
}

function reserve(id: string, microUsd: number, more: Partial<ReserveRecord> = {}): ReserveRecord {
  return {
    type: 'reserve',
    id,
    at: 'then',
    path: [],
    model: 'x/y',
    microUsd,
    tokens: microUsd / 10,
    limits: [limit],
    owner: { pid: 1, start: '1' },
    ...more,
  };
}

function settle(id: string, microUsd: number): SettleRecord {
  return {
    type: 'settle',
    id,
    at: 'then',
    model: 'x/y',
    how: 'reported',
    usage: { ...noUsage, output_tokens: 1 },
    microUsd,
    tokens: 1,
  };
}
