import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { countedIds } from '../../src/lib/ids.ts';
import { processMark } from '../../src/lib/processes/mark.ts';
import { type Account, openAccount } from '../../src/models/budget/account.ts';
import { deferredLedger } from '../../src/models/budget/deferred-ledger.ts';
import { noUsage } from '../../src/protocol/index.ts';
import { temporaryDirectory } from '../support/index.ts';

const want = { model: 'scripted/model', inputTokens: 100, maxOutput: 10, leastOutput: 1, prices: undefined };
const reported = {
  how: 'reported' as const,
  model: 'scripted/model',
  usage: { ...noUsage, input_tokens: 7 },
  microUsd: 70,
  tokens: 7,
};
const ids = countedIds();

/** The account of a session without a cap, as one process after another opens it. */
function openIn(directory: string, owner = processMark(process.pid)) {
  const parts = { clock: manualClock(), ids, owner };
  const ledger = deferredLedger(join(directory, 'ledger.jsonl'), parts);
  if (!ledger.ok) throw new Error(ledger.problem.message);
  const account = openAccount({ ...parts, ledger: ledger.value });
  if (!account.ok) throw new Error(account.problem.message);
  return { account: account.value, close: () => ledger.value.close() };
}

async function reserve(account: Account) {
  const { answer } = account.reserve(want, 'foreground', new AbortController().signal);
  const answered = await answer;
  if (answered.kind !== 'granted') throw new Error(answered.kind);
  return answered.reservation;
}

test('G1 a session that goes on has the same account: every request, and which of them broke off', async () => {
  const { path } = temporaryDirectory();
  const first = openIn(path);
  for (const account of [first.account, first.account.child('a1'), first.account.child('a1').child('a2')]) {
    (await reserve(account)).settle(reported);
    (await reserve(account)).settle(reported);
    (await reserve(account)).settle({ how: 'reserved' });
  }
  const before = first.account.report();
  expect(before.rows.map(({ requests, estimated }) => [requests, estimated])).toEqual([
    [3, 1],
    [3, 1],
    [3, 1],
  ]);
  first.close();

  const second = openIn(path);
  expect(second.account.report()).toEqual(before);
  expect(second.account.child('a1').spent).toEqual(first.account.child('a1').spent);
  (await reserve(second.account)).settle(reported);
  second.close();
  expect(openIn(path).account.report().rows[0]).toMatchObject({ requests: 4, estimated: 1 });
});

test('G1 what a killed process had under way counts as reserved when its session goes on', async () => {
  const { path } = temporaryDirectory();
  const first = openIn(path, { pid: 999_999_999, start: 'gone' });
  (await reserve(first.account)).settle(reported);
  await reserve(first.account);
  first.close();
  for (let time = 1; time <= 2; time++) {
    const next = openIn(path);
    expect(next.account.report().rows).toMatchObject([{ requests: 2, estimated: 1 }]);
    next.close();
  }
});
