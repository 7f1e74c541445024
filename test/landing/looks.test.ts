import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { forecast } from '../../src/landing/forecast.ts';
import { endedBy, lookOnly } from '../../src/landing/look-only.ts';
import { nameByProcess } from '../../src/lib/files/temporary-names.ts';
import { clearDeadDirectories } from '../../src/workspace/own-directory.ts';
import { bindGit } from '../../src/workspace/worktrees/repository.ts';
import { field } from './support.ts';

test('a look that is interrupted ends at once, and nothing of it is left', async () => {
  const at = await field();
  const stop = new AbortController();
  const seen = await lookOnly(endedBy(stop.signal, at.landing), async ({ repository, world }) => {
    expect(readdirSync(join(at.home, 'looks'))).toHaveLength(1);
    stop.abort();
    return bindGit(world, repository.top)(['status']);
  });
  expect(seen).toMatchObject({ ok: false, problem: { message: expect.stringContaining('interrupted') } });
  expect(existsSync(join(at.home, 'looks'))).toBe(false);
});

test('what a killed look left is cleared by the next one; one that goes on is not', async () => {
  const at = await field();
  const [living, dead] = [nameByProcess(), '999999999.1.abcdefghijklmnop'];
  for (const name of [living, dead]) mkdirSync(join(at.home, 'looks', name, 'ab'), { recursive: true });
  expect(await forecast(at.landing)).toMatchObject({ ok: true });
  expect(readdirSync(join(at.home, 'looks'))).toEqual([living]);
  mkdirSync(join(at.home, 'looks', dead));
  clearDeadDirectories(at.home);
  expect(readdirSync(join(at.home, 'looks'))).toEqual([living]);
});
