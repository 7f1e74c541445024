import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSessionCost } from '../../src/commands/sessions/cost.ts';
import { fileLedger, ledgerPath } from '../../src/models/budget/file-ledger.ts';
import { memoryLedger } from '../../src/models/budget/ledger.ts';
import { renderCost } from '../../src/models/budget/render-cost.ts';
import { reportBooks } from '../../src/models/budget/report.ts';
import { noUsage, type TranscriptRecord } from '../../src/protocol/index.ts';
import { createLayout } from '../../src/store/layout.ts';
import { createTranscript } from '../../src/store/transcript.ts';
import { temporaryDirectory } from '../support/index.ts';
import { accountWith, ask, failed, heldModel, requestOf, settled } from './budget-support.ts';

const sessionId = '11111111-2222-4333-8444-555555555555';
const cwd = '/project';

test('usage and cost are reported per agent and model, and the total once', async () => {
  const ledger = memoryLedger();
  const account = accountWith({}, ledger);
  await spend(account, [100, 200]);
  await spend(account.child('scout'), [50], 'test/other');
  const report = reportBooks(ledger.books, () => true);
  expect(report.rows).toEqual([
    {
      agentId: null,
      model: 'test/model',
      usage: { ...noUsage, input_tokens: 4_000, output_tokens: 300 },
      microUsd: 4_300,
      requests: 2,
      heldMicroUsd: 0,
      estimated: 0,
    },
    {
      agentId: 'scout',
      model: 'test/other',
      usage: { ...noUsage, input_tokens: 2_000, output_tokens: 50 },
      microUsd: 2_050,
      requests: 1,
      heldMicroUsd: 0,
      estimated: 0,
    },
  ]);
  expect(report.totalMicroUsd).toBe(6_350);
});

test('a request that broke off is reported as held, one that was refused not at all', async () => {
  const ledger = memoryLedger();
  const model = heldModel();
  for (const end of [failed('network'), failed('rate_limited', { status: 429 })]) {
    const asked = ask(model, accountWith({}, ledger), requestOf(1_000));
    await settled();
    model.sent.at(-1)?.push(end);
    await asked.done;
  }
  expect(reportBooks(ledger.books, () => true).rows).toMatchObject([
    { requests: 1, estimated: 1, microUsd: 0, heldMicroUsd: 3_000 },
  ]);
});

test('an open request counts once its process is gone', async () => {
  const ledger = memoryLedger();
  ask(heldModel(), accountWith({}, ledger), requestOf(1_000));
  await settled();
  expect(reportBooks(ledger.books, () => true)).toEqual({ totalMicroUsd: 0, heldMicroUsd: 0, rows: [] });
  expect(reportBooks(ledger.books, () => false).rows).toMatchObject([
    { microUsd: 0, heldMicroUsd: 3_000, estimated: 1 },
  ]);
});

test('the cost says that held money stays held, and what makes up for it', async () => {
  const ledger = memoryLedger();
  ask(heldModel(), accountWith({}, ledger), requestOf(1_000));
  await settled();
  const report = reportBooks(ledger.books, () => false);
  expect(renderCost({ sessionId, title: '', ...report })).toContain(
    'it is not counted as spent, but against a limit it counts until the session is removed: a higher limit makes up for it.',
  );
});

test('an unknown price makes the total unknown, not zero', async () => {
  const ledger = memoryLedger();
  await spend(accountWith({}, ledger), [1], 'nobody/knows');
  const report = reportBooks(ledger.books, () => true);
  expect(report).toMatchObject({ totalMicroUsd: null, rows: [{ microUsd: null }] });
  const shown = renderCost({ sessionId, title: 'a title', ...report });
  expect(shown).toContain('unknown');
  expect(shown).toContain('The price of nobody/knows is unknown: set modelPricing.');
});

test('cadre cost reads the ledger of a session, by id or the latest of the directory', async () => {
  const layout = createLayout(temporaryDirectory().path);
  writeTranscript(layout.session(cwd, sessionId).transcript);
  const ledger = fileLedger(ledgerPath(layout.session(cwd, sessionId).directory));
  await spend(accountWith({}, ledger), [500]);
  for (const wanted of [undefined, sessionId.slice(0, 8)]) {
    const found = await readSessionCost(layout, cwd, wanted);
    expect(found).toMatchObject({ ok: true, value: { sessionId, totalMicroUsd: 2_500 } });
  }
});

test('without a ledger the transcripts tell, the agents’ as well', async () => {
  const layout = createLayout(temporaryDirectory().path);
  const files = layout.session(cwd, sessionId);
  writeTranscript(files.transcript);
  mkdirSync(dirname(files.agentTranscript('scout')), { recursive: true });
  writeTranscript(files.agentTranscript('scout'));
  const found = await readSessionCost(layout, cwd, undefined);
  const row = { model: 'anthropic/claude-haiku-4-5', microUsd: 1_500, requests: 1 };
  expect(found).toMatchObject({
    ok: true,
    value: {
      totalMicroUsd: 3_000,
      rows: [
        { agentId: null, ...row },
        { agentId: 'scout', ...row },
      ],
    },
  });
});

test('a table is printed that adds up', async () => {
  const layout = createLayout(temporaryDirectory().path);
  writeTranscript(layout.session(cwd, sessionId).transcript);
  const found = await readSessionCost(layout, cwd, undefined);
  if (!found.ok) throw new Error(found.problem.message);
  expect(renderCost(found.value)).toBe(
    [
      `${sessionId}  hello`,
      '',
      'agent  model                       requests  input  cached  output     cost',
      'lead   anthropic/claude-haiku-4-5         1  1,000       0     100  $0.0015',
      'total                                     1  1,000       0     100  $0.0015',
      '',
      '1,100 tokens: input and output together. Cached tokens are part of the input.',
      '',
    ].join('\n'),
  );
});

test('a table that is too wide shortens names, and keeps its columns', () => {
  const row = {
    ...{ model: 'anthropic/claude-sonnet-4-5', microUsd: 650_000, requests: 12, estimated: 0 },
    usage: { ...noUsage, input_tokens: 123_456, output_tokens: 12_345 },
  };
  const rows = [
    { ...row, agentId: null },
    { ...row, agentId: 'a123456789012', agentType: 'general-purpose' },
  ];
  const linesAt = (width?: number) =>
    renderCost({ sessionId, title: '', totalMicroUsd: 1_300_000, rows }, width).split('\n').slice(2, 6);
  expect(linesAt()[2]).toStartWith('a123456789012 general-purpose  anthropic/claude-sonnet-4-5  ');
  for (const line of linesAt(80)) expect(line.length).toBe(80);
  expect(linesAt(80)[2]).toStartWith('a123456789012 ');
  expect(linesAt(80)[2]).toContain(' claude-sonnet-4-5 ');
});

test('numbers that a narrow screen has no columns for stand below their names', () => {
  const row = {
    ...{ model: 'anthropic/claude-sonnet-4-5', microUsd: 650_000, requests: 12, estimated: 0 },
    usage: { ...noUsage, input_tokens: 123_456, output_tokens: 12_345 },
  };
  const cost = { sessionId, title: '', totalMicroUsd: 650_000, rows: [{ ...row, agentId: null }] };
  expect(renderCost(cost, 40).split('\n').slice(2, 8)).toEqual([
    'lead anthropic/claude-sonnet-4-5',
    '  12 requests, 123,456 input, 0 cached',
    '  12,345 output, $0.6500',
    'total',
    '  12 requests, 123,456 input, 0 cached',
    '  12,345 output, $0.6500',
  ]);
});

test('a directory without sessions is told so', async () => {
  const found = await readSessionCost(createLayout(join(temporaryDirectory().path)), cwd, undefined);
  expect(found).toMatchObject({ ok: false, problem: { kind: 'usage' } });
});

async function spend(
  account: ReturnType<typeof accountWith>,
  outputs: readonly number[],
  id = 'test/model',
): Promise<void> {
  const model = heldModel(id);
  for (const [index, output] of outputs.entries()) {
    const asked = ask(model, account, requestOf(1_000));
    await settled();
    model.sent[index]?.end(output);
    await asked.done;
  }
}

function writeTranscript(path: string): void {
  const header = {
    type: 'cadre-transcript',
    format: 1,
    sessionId,
    cwd,
    version: '0',
    createdAt: 'then',
  } as const;
  const created = createTranscript(path, header);
  if (!created.ok) throw new Error(created.problem.message);
  const base = { sessionId, timestamp: 'then', isSidechain: false };
  const records: TranscriptRecord[] = [
    {
      type: 'user',
      uuid: '1',
      parentUuid: null,
      ...base,
      message: { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      origin: { kind: 'human' },
    },
    {
      type: 'assistant',
      uuid: '2',
      parentUuid: '1',
      ...base,
      message: {
        role: 'assistant',
        id: 'a',
        model: 'claude-haiku-4-5',
        content: [{ type: 'text', text: 'hi' }],
        stop_reason: 'end_turn',
        usage: { ...noUsage, input_tokens: 1_000, output_tokens: 100 },
      },
    },
  ];
  for (const record of records) created.value.append(record);
  created.value.close();
}
