import { expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import { countedIds, randomIds } from '../../src/lib/ids.ts';
import { isSameProcess, processMark } from '../../src/lib/processes/mark.ts';
import { failure } from '../../src/lib/result.ts';
import { openAccount } from '../../src/models/budget/account.ts';
import { fileLedger, ledgerPath } from '../../src/models/budget/file-ledger.ts';
import { memoryLedger } from '../../src/models/budget/ledger.ts';
import { reportBooks } from '../../src/models/budget/report.ts';
import { fakeProvider, hang, say } from '../../src/testing/index.ts';
import { temporaryDirectory } from '../support/index.ts';
import { accountWith, ask, heldModel, here, plainPrice, requestOf, settled } from './budget-support.ts';

test('G1: what was spent before a restart counts', async () => {
  const path = ledgerPath(temporaryDirectory().path);
  const model = heldModel();
  const first = ask(model, accountWith({}, fileLedger(path)), requestOf(1_000));
  await settled();
  model.sent[0]?.end(500);
  await first.done;
  const second = ask(model, accountWith({ microUsd: 5_499 }, fileLedger(path)), requestOf(1_000));
  await second.done;
  expect(second.events.at(-1)).toMatchObject({ failure: { kind: 'out_of_budget' } });
});

test('what was spent at an unknown price is priced when a cap is set, or the cap is refused', async () => {
  const ledger = memoryLedger();
  const model = heldModel('nobody/knows');
  const asked = ask(model, accountWith({}, ledger), requestOf(1_000));
  await settled();
  model.sent[0]?.end(500);
  await asked.done;
  const options = {
    ledger,
    caps: { microUsd: 10_000 },
    clock: manualClock(),
    ids: countedIds(),
    owner: here,
  };
  const refused = openAccount(options);
  expect(!refused.ok && refused.problem).toMatchObject({ kind: 'usage' });
  expect(!refused.ok && refused.problem.message).toContain('nobody/knows');
  const opened = openAccount({ ...options, overrides: { 'nobody/': { input: 2, output: 2 } } });
  expect(opened.ok && opened.value.spent.microUsd).toBe(5_000);
});

test('who waits for another process goes on when that gives back', async () => {
  const path = ledgerPath(temporaryDirectory().path);
  const clock = manualClock();
  const model = heldModel();
  const first = ask(model, accountWith({ microUsd: 12_000 }, fileLedger(path)), requestOf(9_000));
  const second = ask(model, accountWith({ microUsd: 12_000 }, fileLedger(path), clock), requestOf(9_000));
  await settled();
  expect(second.events).toMatchObject([{ type: 'request_waited' }]);
  model.sent[0]?.end(0);
  await first.done;
  clock.advance(1_000);
  await settled();
  expect(model.sent[1]?.request.maxOutputTokens).toBe(8_000);
});

test('G1: the open request of a process that is gone stays held, and nobody waits for it', async () => {
  const ledger = fileLedger(ledgerPath(temporaryDirectory().path));
  const gone = { pid: 2 ** 22 - 1, start: 'long ago' };
  ledger.append({
    type: 'reserve',
    id: 'lost',
    at: 'then',
    path: [],
    model: 'test/model',
    microUsd: 9_000,
    tokens: 9_000,
    limits: [],
    owner: gone,
  });
  const account = accountWith({ microUsd: 15_000 }, ledger);
  const model = heldModel();
  ask(model, account, requestOf(32_000));
  await settled();
  expect(account.held.microUsd).toBe(9_000);
  expect(model.sent[0]?.request.maxOutputTokens).toBe(4_000);
});

test('a ledger that cannot be written stops what is limited, and nothing else', async () => {
  const full = () => ({
    ...memoryLedger(),
    append: () => failure('Cannot write ledger.jsonl: the disk is full.'),
  });
  const model = heldModel();
  const limited = ask(model, accountWith({ microUsd: 10_000 }, full()), requestOf(1_000));
  await limited.done;
  expect(limited.events).toMatchObject([
    { failure: { kind: 'out_of_budget', message: expect.stringContaining('the disk is full') } },
  ]);
  const free = accountWith({}, full());
  const asked = ask(model, free, requestOf(1_000));
  await settled();
  model.sent[0]?.end(5);
  await asked.done;
  expect(free.spent.microUsd).toBe(2_005);
});

test('a ledger that cannot be read is found when a cap is set', () => {
  const file = join(temporaryDirectory().path, 'file');
  writeFileSync(file, '');
  const options = { ledger: fileLedger(join(file, 'ledger.jsonl')), clock: manualClock(), ids: countedIds() };
  const opened = openAccount({ ...options, owner: here, caps: { tokens: 1 } });
  expect(!opened.ok && opened.problem.message).toContain(join(file, 'ledger.jsonl'));
});

test('G1: two processes of one session never cross their cap, and stop only when nothing fits', async () => {
  const path = ledgerPath(temporaryDirectory().path);
  const cap = 60_000;
  await using provider = await fakeProvider({ script: () => say('word '.repeat(120)), latencyMs: 2 });
  const ends = await Promise.all([
    runSpender(path, provider.url, cap, 4),
    runSpender(path, provider.url, cap, 4),
  ]);
  const answers = ends.reduce((sum, end) => sum + (JSON.parse(end) as { answers: number }).answers, 0);
  const ledger = fileLedger(path);
  ledger.refresh();
  const report = reportBooks(ledger.books, isSameProcess);
  expect(provider.requests).toHaveLength(answers);
  expect(report.rows.reduce((sum, row) => sum + row.requests, 0)).toBe(answers);
  expect(ledger.books.totals([])).toMatchObject({ openCount: 0 });
  const spent = report.totalMicroUsd ?? 0;
  expect(spent).toBeLessThanOrEqual(cap);
  // The smallest request: 600 bytes and their frame, and the floor of its answer.
  expect(spent + 1_024 + 64 + 600 + 1_024).toBeGreaterThan(cap);
}, 30_000);

test('G1: a process killed in mid-answer leaves what it had reserved held', async () => {
  const path = ledgerPath(temporaryDirectory().path);
  await using provider = await fakeProvider({ script: () => hang() });
  const child = spawnSpender(path, provider.url, 20_000, 1);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  while (provider.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill('SIGKILL');
  await ended;
  const opened = openAccount({
    ledger: fileLedger(path),
    caps: { microUsd: 20_000 },
    clock: systemClock,
    ids: randomIds,
    owner: processMark(process.pid),
    overrides: plainPrice,
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  const model = heldModel();
  ask(model, opened.value, requestOf(32_000));
  await settled();
  const reserved = 1_024 + 64 + 600 + 4_000;
  expect(opened.value.spent.microUsd).toBe(0);
  expect(opened.value.held.microUsd).toBe(reserved);
  expect(model.sent[0]?.request.maxOutputTokens).toBe(20_000 - reserved - 2_000);
}, 30_000);

function spawnSpender(path: string, url: string, cap: number, agents: number) {
  const script = join(import.meta.dirname, 'budget-spender.script.ts');
  return spawn(process.execPath, [script, path, url, String(cap), String(agents)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function runSpender(path: string, url: string, cap: number, agents: number): Promise<string> {
  const child = spawnSpender(path, url, cap, agents);
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  return output;
}
