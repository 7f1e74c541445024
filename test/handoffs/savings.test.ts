import { expect, test } from 'bun:test';
import type { PhaseRecord } from '../../src/handoffs/phase-records.ts';
import { renderSavings } from '../../src/handoffs/render-result.ts';
import { computeSavings } from '../../src/handoffs/savings.ts';
import { addUsage, noUsage, type Usage } from '../../src/protocol/message.ts';

const usage = (read: number, wrote: number): Usage => ({
  ...noUsage,
  cache_read_input_tokens: read,
  output_tokens: wrote,
});

/** Two requests each: 1,000 at first, grown to 3,000 + 100. */
const requests: Record<string, Usage[]> = {
  a: [usage(1_000, 500), usage(3_000, 100)],
  b: [usage(1_200, 500), usage(3_200, 100)],
  c: [usage(800, 200), usage(2_000, 100)],
};

const records = Object.entries(requests).map(
  ([agentId, list]): PhaseRecord => ({
    ...{
      task_id: agentId,
      label: agentId,
      phase: 'write',
      end: 'answered',
      claims: [],
      issues: [],
      checked: false,
    },
    tokens_used: 0,
    calls: [{ agentId, usage: list.reduce(addUsage, noUsage) }],
  }),
);

test('HO6 each phase is compared with the same phase in one long conversation', async () => {
  const { phases, used, used_in_one, basis } = await computeSavings(records, async (id) => requests[id]);
  expect(basis).toBe('requests');
  expect(phases).toEqual([
    { task_id: 'a', label: 'a', used: 4_600, held: 3_100, held_in_one: 3_100, used_in_one: 4_600 },
    // before: 1,000 + 2,100. Requests: 3,100 + 500 and 3,100 + 2,100.
    { task_id: 'b', label: 'b', used: 5_000, held: 3_300, held_in_one: 5_200, used_in_one: 8_800 },
    { task_id: 'c', label: 'c', used: 3_100, held: 2_100, held_in_one: 6_500, used_in_one: 5_400 + 6_500 },
  ]);
  expect({ used, used_in_one }).toEqual({ used: 12_700, used_in_one: 25_300 });
});

test('HO6 where only sums are known, the comparison is a lower bound and says so', async () => {
  const report = await computeSavings(records, undefined);
  expect(report).toMatchObject({ basis: 'totals', used: 12_700, used_in_one: 12_700 + 600 + 1_200 });
  expect(report.phases.map(({ held }) => held)).toEqual([undefined, undefined, undefined]);
  expect(renderSavings(report).join('\n')).toContain('at least');
});

test('HO6 the table shows the figures', async () => {
  const report = await computeSavings(records, async (id) => requests[id]);
  expect(renderSavings(report)).toEqual([
    '',
    'phase      tokens      in one     context      in one',
    'a           4,600       4,600       3,100       3,100',
    'b           5,000       8,800       3,300       5,200',
    'c           3,100      11,900       2,100       6,500',
    'all        12,700      25,300',
    '"in one": the same work in one long conversation',
  ]);
});
