import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { loadProofs, perform, renderReport } from '../scripts/proofs.ts';

const seed = 20_260_101;

for (const proof of await loadProofs(join(import.meta.dirname, 'proof')))
  test(`${proof.promise} (reduced proof, seed ${seed})`, async () => {
    const { result } = await perform(proof, false, seed);
    expect({ ...result, detail: result.passed ? '' : result.detail }).toMatchObject({
      passed: true,
      detail: '',
    });
  }, 900_000);

test('a proof that throws is reported as broken, with its words', async () => {
  const proof = { name: 'x', promise: 'X1: holds', run: () => Promise.reject(new Error('it fell over')) };
  const finding = await perform(proof, true, 1);
  const report = renderReport(
    [proof, { name: 'y', promise: 'Y1: holds' }],
    [{ ...finding, commit: 'abc', date: '2026-01-01T10:00', machine: 'here' }],
  );
  expect(report).toContain('| X1: holds | **broken** |');
  expect(report).toContain('it fell over');
  expect(report).toContain('| 1 | abc, 2026-01-01 |');
  expect(report).toContain('| y | Y1: holds | not run |');
});
