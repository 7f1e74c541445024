import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { runUnprivileged } from '../support/index.ts';

interface Seen {
  modes: Record<string, string>;
  refusedCreate: { ok: boolean; problem: { message: string } };
  refusedLoad: { ok: boolean; problem: { message: string } };
  refusedReopen: { ok: boolean; problem: { message: string } };
  listed: number;
}

const seen = runUnprivileged<Seen>(join(import.meta.dir, 'unprivileged.script.ts'));

test('everything a session leaves is 0600 and 0700, whatever the umask', async () => {
  const { modes } = await seen;
  expect(Object.keys(modes).length).toBeGreaterThan(6);
  for (const [path, mode] of Object.entries(modes)) expect(`${path} ${mode}`).toMatch(/(\/ 700|[^/] 600)$/);
});

test('a closed home or transcript is a failure that names the path', async () => {
  const { refusedCreate, refusedLoad, refusedReopen } = await seen;
  expect(refusedCreate.problem.message).toMatch(/closed.*permission denied \(EACCES\)/);
  expect(refusedLoad.problem.message).toMatch(/\.jsonl: permission denied \(EACCES\)/);
  expect(refusedReopen.problem.message).toMatch(/\.jsonl: permission denied \(EACCES\)/);
});

test('a transcript that cannot be read is left out of the list', async () => {
  expect((await seen).listed).toBe(0);
});
